// Beside the web UI, which knows nothing of signing in: a way out, and the way back in when the session has ended.
const signIn = () => location.assign(`./sign-in?${new URLSearchParams({ next: location.search })}`);

new PerformanceObserver((list) => {
  if (list.getEntries().some((entry) => entry.responseStatus === 401 && entry.name.startsWith(location.origin)))
    signIn();
}).observe({ type: 'resource' });

const form = document.createElement('form');
form.className = 'mesh-sign-out';
form.method = 'post';
form.action = './sign-out';
const button = document.createElement('button');
button.textContent = 'Sign out';
form.append(button);
document.body.append(form);
