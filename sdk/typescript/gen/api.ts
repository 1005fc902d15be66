// Generated from the OpenAPI document by `npm run generate`; do not edit.

export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health
         * @description Whether the gateway answers at all.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Liveness
         * @description Whether the process serves requests. It says nothing of other services.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Liveness
         * @description Whether the process serves requests. It says nothing of other services.
         */
        get: operations["getHealthLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Readiness
         * @description Whether all services that the gateway needs answer. 503 names those that do not.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Readiness
         * @description Whether all services that the gateway needs answer. 503 names those that do not.
         */
        get: operations["getHealthReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Public configuration
         * @description Settings that front ends may know.
         */
        get: operations["getConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the version of the server
         * @description The product, and the Node.js that it runs on.
         */
        get: operations["getVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all accounts
         * @description For administrators; others get 403.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Sign up
         * @description Creates an account. Where verification is required, a mail with a token follows, and the answer does not tell whether the address has an account already.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description Answers an access token for the `Authorization: Bearer` header and sets the refresh cookie. Takes JSON, or the OAuth2 password form with `username`. Repeated failures are answered 429 with `Retry-After`.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/refresh-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a new access token for the refresh cookie
         * @description Replaces the refresh cookie too. A cookie that was replaced before ends its sign-in when it is used again. Needs no body.
         */
        post: operations["refreshToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Ends the sign-in of the refresh cookie and clears the cookie. 200 also without a cookie.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sign-ins of the account
         * @description At most 200, last used first, with device and address. `current` marks the one of this request.
         */
        get: operations["listSignIns"];
        put?: never;
        post?: never;
        /**
         * End all sign-ins
         * @description With `keep_current=true` all but the one of this request, with `tokens=true` the personal tokens too. Access tokens from before are refused within a second.
         */
        delete: operations["endSignIns"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one sign-in
         * @description Its access tokens and its refresh cookie are refused within a second.
         */
        delete: operations["endSignIn"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List personal tokens
         * @description Those that have not expired, newest first. The tokens themselves are never shown again.
         */
        get: operations["listPersonalTokens"];
        put?: never;
        /**
         * Create a personal token for a program
         * @description The token is shown in this answer only. With `user_id` it reaches the data of that end user alone. Needs a token of a sign-in with the password, not of a refresh.
         */
        post: operations["createPersonalToken"];
        /**
         * Revoke all personal tokens
         * @description With `user_id` only those bound to that end user.
         */
        delete: operations["revokePersonalTokens"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a personal token
         * @description It is refused within a second.
         */
        delete: operations["revokePersonalToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/tokens/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke the personal token of this request
         * @description For programs that sign out: it needs no scope. The token is refused within a second. 404 `personal_token_not_found` for a request with another credential.
         */
        delete: operations["revokeCurrentPersonalToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/device/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin the sign-in of a program
         * @description The program shows `verification_uri` and `user_code`, and asks `/api/auth/device/token` every `interval` seconds.
         */
        post: operations["startDeviceSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/device/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the token of a program that was approved
         * @description Answers a personal token, once. Until then 400 with the `error` of RFC 8628.
         */
        post: operations["claimDeviceToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/device": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a program asks for
         * @description By the code that it shows. The program has chosen its name itself.
         */
        get: operations["getDeviceSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/device/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a program in
         * @description It gets a personal token. Needs a token of a sign-in with the password, not of a refresh.
         */
        post: operations["approveDeviceSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/device/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refuse a program
         * @description It is told so, and its code is void.
         */
        post: operations["denyDeviceSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/forgot-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a password reset mail
         * @description Answers alike whether or not there is such an account.
         */
        post: operations["forgotPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/resend-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for the verification mail again
         * @description Answers alike whether or not there is such an account.
         */
        post: operations["resendVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password
         * @description Takes the token of the password reset mail, once. All sign-ins of the account end.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an e-mail address
         * @description Takes the token of the verification mail. The first proof of an address ends all sign-ins, personal tokens and the password, unless this browser has signed up or in with it; a password reset mail then follows.
         */
        post: operations["verifyEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the account of the token
         * @description A personal token needs the scope `account:read` and must not be bound to an end user.
         */
        get: operations["getCurrentUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an account by id
         * @description For its owner and for administrators.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Delete an account by id
         * @description Deletes the account and everything that it owns, in every service. The `Location` header names the receipt of the erasure. Needs a token of a sign-in with the password, not of a refresh.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Change a profile
         * @description Fields that are absent or null stay as they are. Role, e-mail and password cannot be changed here.
         */
        patch: operations["updateUser"];
        trace?: never;
    };
    "/api/users/email/{email}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an account by e-mail
         * @description For its owner and for administrators.
         */
        get: operations["getUserByEmail"];
        put?: never;
        post?: never;
        /**
         * Delete an account by e-mail
         * @description Deletes the account and everything that it owns, in every service. The `Location` header names the receipt of the erasure. Needs a token of a sign-in with the password, not of a refresh.
         */
        delete: operations["deleteUserByEmail"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/erasures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the receipt of a deleted account
         * @description Says how much was erased in each service. Needs no token: the id is secret, and the receipt holds counts only.
         */
        get: operations["getErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit entries
         * @description What was done to the own account, newest first. Administrators read those of any account.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the account
         * @description Everything that the account has, as lines of JSON: sessions, events, runs, artifacts, memories, agents, schedules, webhooks, mail, keys without secrets, use and audit. It is no snapshot: what changes while it is read may be in it or not.
         */
        get: operations["exportAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/list-apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List applications
         * @description Names of the applications that the account can use; with `detailed=true` one record for each.
         */
        get: operations["listApps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_name}/app-info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe an application
         * @description Its root agent and its other agents, with their tools.
         */
        get: operations["getAppInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schemas/agent.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the schema of agent files
         * @description The JSON Schema of `root_agent.yaml` and of the files of sub-agents, for editors. It needs no credentials.
         */
        get: operations["getAgentSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run an agent
         * @description Answers all whole events of the run as one array when it has ended. `streaming` has no effect here. The run goes on when the client leaves, unless `onDisconnect` is `cancel`.
         */
        post: operations["runAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/run_sse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run an agent and stream its events
         * @description Answers each event when it happens, with `streaming: true` also partial ones. The run goes on when the client leaves, unless `onDisconnect` is `cancel`. While the run waits for others of its session, comments `: queued <place>` tell its place.
         */
        post: operations["streamRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs
         * @description Runs of the account, newest first, 100 or `limit` of them. A page can be shorter than `limit` although others follow: `X-Next-Cursor` tells.
         */
        get: operations["listRuns"];
        put?: never;
        /**
         * Start a run in the background
         * @description Answers as soon as the run is stored. It is executed whatever the client does: read or watch it by its id. With `streaming: true` those who watch it get partial events too.
         */
        post: operations["startRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{invocation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a run
         * @description The run as it is now. It stays when its session is deleted.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{invocation_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description Stops the run wherever it is executed, and keeps the text so far as an event with `interrupted`. A run that is over stays as it is. The answer waits up to a second for the end.
         */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/sessions/{session_id}:cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel what runs in a session
         * @description Cancels the runs of the session that are queued, running or waiting, each as `POST /runs/{id}/cancel` does. 404 when there is none.
         */
        post: operations["cancelSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{invocation_id}/wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wait for a run
         * @description Answers 200 with the run as soon as it has ended or waits for an answer; 202 with the run as it is then when `seconds` have passed before.
         */
        get: operations["waitForRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{invocation_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a message to a run
         * @description The agent sees the message before its next model call; an answer that it gives at this moment is not its last one then. The message of a run that has not started is extended. A run that waits for an answer keeps the message, and the agent sees it behind the answer. 409 when the run is over.
         */
        post: operations["addRunMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{invocation_id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a run that waits
         * @description The run goes on in the same invocation, and this answers as soon as that is stored. Calls that are left out still wait. Of two answers to one call the second gets 409 with the code `run_not_waiting`; while another call is being answered the code is `run_in_progress`: try again when the run waits. 422 for a call that the run does not wait for. `GET /runs?status=waiting` lists the runs that wait.
         */
        post: operations["answerRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/sessions/{session_id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of a session
         * @description Newest first, 100 or `limit` of them.
         */
        get: operations["listSessionRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{invocation_id}/trace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the trace of a run
         * @description The spans of agents, model calls and tools, in terms of OpenTelemetry. Those of an attempt are there within seconds after it has ended, for the days of `TRACES_KEEP_DAYS`. None when the run was not sampled.
         */
        get: operations["getRunTrace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{invocation_id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the log of a run
         * @description The lines that code of the app prints with `console`, and warnings and errors of the mesh about the run. A line is there within about a second, also while the run goes on, for the days of `TRACES_KEEP_DAYS`. A run keeps 1,000 lines and 256 KiB. None when the run was not sampled.
         */
        get: operations["getRunLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{invocation_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the events of a run
         * @description All events of the run as server-sent events, before, while and after it is executed. A client that was cut off sends the last `id:` as `Last-Event-ID` or `after`, also to another replica, and misses nothing. Partial events are sent if the run was started with `streaming`.
         */
        get: operations["watchRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{invocation_id}/events/ticket": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a ticket for the events of a run
         * @description Makes a secret that opens the event stream of this run and nothing else, for 10 minutes and as long as the sign-in or the personal token stands. A browser’s EventSource, which can send no header, sends it in the query.
         */
        post: operations["createRunTicket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{invocation_id}/webhook/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages of a run's webhook
         * @description The newest 100, newest first, with what became of each.
         */
        get: operations["listRunWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{invocation_id}/webhook/deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message of a run's webhook again
         * @description With the same id and body, whatever became of it. It is tried for another three days.
         */
        post: operations["resendRunWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/adk/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a session for a chat
         * @description The same as creating a session of the app, in the form of apowerb’s UI. `data` is its state.
         */
        post: operations["createAdkSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/adk/sessions/{app_name}/{user_id}/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the messages of a chat
         * @description The texts of the session’s events, in order.
         */
        get: operations["getAdkSession"];
        put?: never;
        post?: never;
        /**
         * Delete a chat
         * @description The same as deleting the session.
         */
        delete: operations["deleteAdkSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/adk/run_sse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message of a chat and stream the answer
         * @description The same as `/run_sse`, in the form of apowerb’s UI.
         */
        post: operations["streamAdkRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notifications
         * @description One for each run in the background, or started by mail, that has ended; and one when a subscription to a mailbox cannot be renewed. Newest first; 500 are kept.
         */
        get: operations["listNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/unread-count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count unread notifications
         * @description The number of notifications that were not marked as read.
         */
        get: operations["countUnreadNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/{id}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Mark a notification as read
         * @description Marking it again changes nothing.
         */
        patch: operations["readNotification"];
        trace?: never;
    };
    "/api/notifications/read-all": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark all notifications as read
         * @description Answers how many were unread.
         */
        post: operations["readAllNotifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream notifications
         * @description Sends each notification that is made after the connection was opened. The stream ends when its credential does.
         */
        get: operations["streamNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream changes
         * @description Tells within seconds which runs, waits of runs, notifications, agents and schedules of the account were added, changed or removed. The stream ends when its credential does.
         */
        get: operations["streamChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/slow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the accounts with the slowest runs
         * @description Which accounts are slow, and what their time is spent on; those with the longest runs first. Time in which a run waits for an answer is left out. For administrators.
         */
        get: operations["listSlowAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/runs/{invocation_id}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find out what holds a run
         * @description The process that holds a run of any account, and what the run waits for. For administrators.
         */
        get: operations["findRunHolder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List schedules
         * @description All schedules of the account, oldest first. An account has at most 100.
         */
        get: operations["listSchedules"];
        put?: never;
        /**
         * Create a schedule
         * @description At each tick of `cron` in `timezone`, `new_message` is sent to the app: one run for each tick, however many replicas there are. A tick that is more than a minute late was missed, and is made up only with `catch_up`.
         */
        post: operations["createSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/schedules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a schedule
         * @description With its next ticks, the latest run, and the number of missed ticks.
         */
        get: operations["getSchedule"];
        put?: never;
        post?: never;
        /**
         * Delete a schedule
         * @description Its sessions and runs stay.
         */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        /**
         * Change a schedule
         * @description Changes the fields that are sent. After a change of `cron`, `timezone` or `enabled`, earlier ticks are neither run nor missed.
         */
        patch: operations["updateSchedule"];
        trace?: never;
    };
    "/api/schedules/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a schedule
         * @description No tick is run until it is resumed. A run that has started goes on.
         */
        post: operations["pauseSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/schedules/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a schedule
         * @description The next run is that of the next tick. Ticks of the pause are neither run nor missed.
         */
        post: operations["resumeSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description Oldest first: all agents of the account, or `limit` of them. Of very large agents, fewer are answered; then `X-Next-Cursor` tells where the others begin.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Create an agent
         * @description Its app is `agent<N>`, which only this account sees. The name must be free in the account.
         */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an agent
         * @description The record of one agent of the account.
         */
        get: operations["getAgent"];
        /**
         * Replace an agent
         * @description All fields are replaced; the old ones stay as a version. Every replica uses the new ones within a second.
         */
        put: operations["updateAgent"];
        post?: never;
        /**
         * Delete an agent
         * @description Deletes it with its versions. Runs that are under way go on to their end; its sessions can no longer be reached. 409 while it is a sub-agent of another.
         */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{agent_id}/reload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reload an agent
         * @description Every replica builds it again. A change is used without this too.
         */
        post: operations["reloadAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{agent_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of an agent
         * @description The latest 100 versions with their fields, newest first.
         */
        get: operations["listAgentVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{agent_id}/versions/{version}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a version of an agent
         * @description Its fields become those of the agent, as a new version. They are checked again.
         */
        post: operations["restoreAgentVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{agent_id}/yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export an agent as YAML
         * @description A file that is an app in `AGENTS_DIR` and can be imported again without loss. It holds no key.
         */
        get: operations["exportAgent"];
        /**
         * Replace an agent with YAML
         * @description Like replacing it with fields. A key that is stored for the agent alone is kept.
         */
        put: operations["replaceAgentWithYaml"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an agent from YAML
         * @description The body is the text of a `root_agent.yaml`. A `config_path` stands for the agent of the account that its file is named after, by id or by name.
         */
        post: operations["importAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/yaml/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check YAML of an agent
         * @description Checks the text as creating or replacing an agent does, for editors, and stores nothing.
         */
        post: operations["checkAgentYaml"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{agent_id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the run status of an agent
         * @description Counts all runs of its app: chats, runs in the background and those that mail started.
         */
        get: operations["getAgentStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{agent_id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run an agent in the background
         * @description Accepts the run in a session of its own and answers at once. The body may be left out. A notification tells when the run has ended.
         */
        post: operations["startAgentRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List models to choose from
         * @description A model of each provider. Agents may name any other model of these providers.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of a user
         * @description All of them without events, or a page where `limit`, `cursor` or `order` is given.
         */
        get: operations["listSessions"];
        put?: never;
        /**
         * Create a session
         * @description Without `sessionId` a random id is made. The body may be left out. `app:` and `user:` keys of the state are shared with other sessions.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a session
         * @description With all its events, or with a page of them where `limit`, `cursor` or `order` is given.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Create a session with an id in the path
         * @deprecated
         * @description For older clients. The body is the state itself, or `{"state": {…}, "events": […]}`.
         */
        post: operations["createSessionWithId"];
        /**
         * Delete a session
         * @description Deletes it with its events and state; a run that is under way ends. 200 also when there is no such session. Artifacts and memory stay.
         */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        /**
         * Change the state of a session
         * @description Merges `stateDelta` key by key and stores it as an event; null deletes a key. With `If-Match` it is done only at that revision.
         */
        patch: operations["updateSession"];
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/sessions/{session_id}/rewind": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rewind a session before an invocation
         * @description As ADK means it: an event with `actions.rewindBeforeInvocationId` gives the session the state and the artifacts that it had before. Models see nothing of what is rewound; its events stay in the session, and artifacts keep all versions. State and artifacts of the user and the app stay as they are. Rewinding before an invocation that is rewound itself brings back what was before it. Runs that wait since then are cancelled; 409 while a run is running or queued.
         */
        post: operations["rewindSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/sessions/{session_id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy a session up to an event
         * @description Makes a session of the same app and user with the events up to and with that one, and the state and artifacts as of that event. Events and artifacts keep their ids and versions. The session itself does not change, and may be written to meanwhile. Runs are not copied. Artifacts outlive a deleted session: 409 `artifact_exists` for its id where it has left another artifact of the same name.
         */
        post: operations["forkSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how long runs and events are kept
         * @description The rules of the account, by application. The first of these that says something counts: the rule for the application, `retention` in its file, the rule for all other applications, the default. When an application says another number than before, the longer one counts for a day.
         */
        get: operations["getRetention"];
        /**
         * Set how long runs and events are kept
         * @description Replaces all rules. Ended runs, and whole turns of events, that are older are deleted within a day. Sessions and their state stay.
         */
        put: operations["setRetention"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/sessions/{session_id}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the names of artifacts
         * @description Those of the session and the `user:` ones of its user, sorted.
         */
        get: operations["listArtifacts"];
        put?: never;
        /**
         * Save an artifact
         * @description Stores a Part as the next version of `filename`. A `user:` name is shared by all sessions of the user.
         */
        post: operations["saveArtifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/sessions/{session_id}/artifacts/{artifact_name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load an artifact
         * @description Its latest version as a Part, or with `alt=media` its bytes, which a page may show but not run. The name may hold slashes.
         */
        get: operations["loadArtifact"];
        /**
         * Save the body as an artifact
         * @description Stores the bytes of the body, of any type and size up to `ARTIFACT_MAX_BYTES`, as the next version.
         */
        put: operations["uploadArtifact"];
        post?: never;
        /**
         * Delete an artifact with all its versions
         * @description 200 also when there is no such artifact. The next save begins again at version 0.
         */
        delete: operations["deleteArtifact"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/sessions/{session_id}/artifacts/{artifact_name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of an artifact
         * @description Numbers only, ascending from 0. Empty for an unknown artifact.
         */
        get: operations["listArtifactVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/sessions/{session_id}/artifacts/{artifact_name}/versions/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the records of all versions
         * @description Number, address, type, time and metadata of each version. Empty for an unknown artifact.
         */
        get: operations["listArtifactVersionRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/sessions/{session_id}/artifacts/{artifact_name}/versions/{version_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Load a version of an artifact
         * @description As a Part, or with `alt=media` its bytes.
         */
        get: operations["loadArtifactVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/sessions/{session_id}/artifacts/{artifact_name}/versions/{version_id}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the record of a version
         * @description Number, address, type, time and metadata.
         */
        get: operations["getArtifactVersionRecord"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/memory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search or list memory
         * @description With `query` it searches, best match first. Without it, it lists page by page.
         */
        get: operations["readMemory"];
        put?: never;
        post?: never;
        /**
         * Delete memories
         * @description All of the user, or those of one session with `sessionId`.
         */
        delete: operations["deleteMemories"];
        options?: never;
        head?: never;
        /**
         * Add a session to memory
         * @description Stores all events of the session that have content. Adding it again adds only what is new.
         */
        patch: operations["updateMemory"];
        trace?: never;
    };
    "/apps/{app_name}/users/{user_id}/memory/{memory_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete one memory
         * @description 200 also when there is no such memory.
         */
        delete: operations["deleteMemory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audio/transcribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn recorded speech into text
         * @description The upload is passed on while it arrives. Its first bytes decide the format; at most 25 MiB, within 5 minutes.
         */
        post: operations["transcribeAudio"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent-identity/finalize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish a consent flow
         * @description Call it when the consent page has led back. Then answer the credential request of the run.
         */
        post: operations["finalizeAgentIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saved-api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List saved keys
         * @description All saved keys of the account, oldest first, each with a reference in place of the key.
         */
        get: operations["listSavedKeys"];
        put?: never;
        /**
         * Save a key
         * @description Encrypts a key of a model provider and stores it. No answer contains it.
         */
        post: operations["createSavedKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/saved-api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a saved key
         * @description One saved key of the account, with a reference in place of the key.
         */
        get: operations["getSavedKey"];
        /**
         * Change a saved key
         * @description Changes the fields that are given and not null. The next model call uses them. A new address or provider needs the key again.
         */
        put: operations["replaceSavedKey"];
        post?: never;
        /**
         * Delete a saved key
         * @description Agents that use the key fail from their next model call on.
         */
        delete: operations["deleteSavedKey"];
        options?: never;
        head?: never;
        /**
         * Change a saved key
         * @description Changes the fields that are given and not null. The next model call uses them. A new address or provider needs the key again.
         */
        patch: operations["updateSavedKey"];
        trace?: never;
    };
    "/api/saved-api-keys/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a saved key
         * @description Lists a model at the provider, which costs nothing, and tells how the provider took the key.
         */
        post: operations["testSavedKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/integrations/microsoft/outlook/connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start to connect Outlook
         * @description Open the returned address in the browser. The provider then leads to `redirect_uri` with a code and the state, which the callback route takes.
         */
        get: operations["startOutlookConnection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/integrations/google/connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start to connect Gmail
         * @description Open the returned address in the browser. The provider then leads to `redirect_uri` with a code and the state, which the callback route takes.
         */
        get: operations["startGmailConnection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/integrations/microsoft/outlook/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish to connect Outlook
         * @description Exchanges the code for tokens, which are stored encrypted. A state is used up by its first use, also when that fails. Connecting another mail account of the provider ends the former connection.
         */
        post: operations["finishOutlookConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/integrations/google/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish to connect Gmail
         * @description Exchanges the code for tokens, which are stored encrypted. A state is used up by its first use, also when that fails. Connecting another mail account of the provider ends the former connection.
         */
        post: operations["finishGmailConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/integrations/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List connected mail accounts
         * @description At most one of each provider. No answer contains a token.
         */
        get: operations["listIntegrations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/integrations/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Disconnect a mail account
         * @description Its subscriptions are ended at the provider, and its tokens are erased then, after 24 hours at the latest.
         */
        delete: operations["disconnectIntegration"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the use of models
         * @description Calls, tokens and estimated cost of models on the network, by day or by other parts. A call counts a moment after it has ended.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List limits
         * @description All limits of the account and of its keys, with what is used of them.
         */
        get: operations["listUsageLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage/limits/{scope}/{period}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set a limit
         * @description A call of a model ends its run with an event `BUDGET_REACHED` when the limit is used up. Usage since the period began counts.
         */
        put: operations["setUsageLimit"];
        post?: never;
        /**
         * Remove a limit
         * @description Calls are no longer counted against it.
         */
        delete: operations["removeUsageLimit"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the use of models by all accounts
         * @description Calls, tokens and estimated cost, the highest cost first. For administrators.
         */
        get: operations["getUsageOfAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscriptions
         * @description All subscriptions of the account, oldest first. An account has at most 1,000.
         */
        get: operations["listWebhookSubscriptions"];
        put?: never;
        /**
         * Subscribe to a mailbox
         * @description From now on, mail that arrives in the connected mailbox runs the agent. Answered 400 `integration_missing` unless a mail account is connected, and 401 `integration_reconnect_required` (without `WWW-Authenticate`) when it has to be connected again.
         */
        post: operations["createWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a subscription
         * @description One subscription of the account.
         */
        get: operations["getWebhookSubscription"];
        put?: never;
        post?: never;
        /**
         * Delete a subscription
         * @description No mail runs the agent any more. It is ended at the provider, in the background if that fails at first. Its logs stay.
         */
        delete: operations["deleteWebhookSubscription"];
        options?: never;
        head?: never;
        /**
         * Change a subscription
         * @description Changes the fields that are sent. Other change types at Outlook are registered at once.
         */
        patch: operations["updateWebhookSubscription"];
        trace?: never;
    };
    "/api/webhooks/subscriptions/{id}/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew a subscription
         * @description Extends it at the provider now, and registers it again when the provider has forgotten it. Subscriptions are also renewed by themselves. Answered 410 when the provider does not accept it any more; it is deleted then.
         */
        post: operations["renewWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List logs
         * @description What was done with the mails of the account, newest first, and how many logs match.
         */
        get: operations["listWebhookLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/logs/{log_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a log
         * @description What was done with one mail.
         */
        get: operations["getWebhookLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/logs/{log_id}/body": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the body of a log's mail
         * @description HTML as the sender wrote it, in a sandbox without scripts. Empty when the mail has no text or was not fetched.
         */
        get: operations["getWebhookLogBody"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/logs/{log_id}/attachments/{filename}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an attachment of a log's mail
         * @description Its bytes. The first request downloads it from the mail provider and stores it in the session of the log. PDF files and pictures are `inline`, others are downloads.
         */
        get: operations["getWebhookLogAttachment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/logs/{log_id}/retrigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run the agent again for a mail
         * @description The mail is fetched again and the present template is used; when the provider no longer has it, the agent gets its former message. 409 `already_running_or_queued` or `subscription_inactive`.
         */
        post: operations["retriggerWebhookLog"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/logs/retrigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run agents again for several mails
         * @description At most 200 logs in one call, named by their ids or by how they have ended.
         */
        post: operations["retriggerWebhookLogs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/outlook/notifications/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notifications of Microsoft Graph
         * @description Called by Microsoft at the address of one subscription. Each item counts only with the right `clientState`; others are ignored.
         */
        post: operations["receiveOutlookNotifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/outlook/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notifications of Microsoft Graph for any subscription
         * @description Called by Microsoft for subscriptions without an address of their own. Items are matched by `subscriptionId` and `clientState`.
         */
        post: operations["receiveSharedOutlookNotifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/gmail/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notifications of Gmail
         * @description Called by Google Pub/Sub with a token that Google has signed for the configured audience and service account. While none is configured, every push is refused.
         */
        post: operations["receiveGmailNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/{provider}/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notifications of other providers
         * @description Answered and ignored.
         */
        post: operations["receiveOtherNotifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** Health */
        Health: {
            status: string;
        };
        /** Liveness */
        Liveness: {
            status: string;
            service: string;
        };
        /** Readiness */
        Readiness: {
            status: string;
            checks: {
                [key: string]: components["schemas"]["Check"];
            };
        };
        /** Check */
        Check: {
            ok: boolean;
            error: string | null;
        };
        /**
         * NotReady
         * @description What fails.
         */
        NotReady: {
            detail: components["schemas"]["Readiness"];
        };
        /** PublicConfig */
        PublicConfig: {
            default_llm_available: boolean;
            default_llm_model_id: string;
        };
        /** Version */
        Version: {
            version: string;
            language: string;
            language_version: string;
        };
        /**
         * Problem
         * @description Why the request was refused.
         */
        Problem: {
            detail: string;
            /** @description Machine-readable reason. */
            code?: string;
        };
        /** SignUpRequest */
        SignUpRequest: {
            first_name: string;
            last_name: string;
            /** Format: email */
            email: string;
            password?: string | null;
            username?: string | null;
            full_name?: string | null;
            avatar_url?: string | null;
        };
        /** User */
        User: {
            user_id: number;
            email: string;
            first_name: string;
            last_name: string;
            username: string | null;
            full_name: string | null;
            avatar_url: string | null;
            plan: string;
            role: string;
            stripe_customer_id: null;
            mfa_enabled: boolean;
            onboarding_completed: boolean;
            created_at: string | null;
            updated_at: string | null;
        };
        /**
         * HTTPValidationError
         * @description The request is not valid; every fault is listed.
         */
        HTTPValidationError: {
            detail: components["schemas"]["ValidationError"][];
            /** @description Machine-readable reason: of the service that found the fault, else `request_invalid`. */
            code?: string;
        };
        /** ValidationError */
        ValidationError: {
            loc: (string | number)[];
            msg: string;
            type: string;
            input?: unknown;
            ctx?: Record<string, never>;
        };
        /** UserPage */
        UserPage: {
            /** @description Of all pages. */
            total: number;
            page: number;
            size: number;
            has_next: boolean;
            has_previous: boolean;
            results: components["schemas"]["User"][];
        };
        /** SignInRequest */
        SignInRequest: {
            email: string;
            password: string;
        };
        /**
         * SignInForm
         * @example {
         *       "grant_type": "password",
         *       "username": "ada@example.com",
         *       "password": "correct horse battery"
         *     }
         */
        SignInForm: {
            grant_type?: string;
            username: string;
            password: string;
        };
        /** Token */
        Token: {
            token_type: string;
            access_token: string;
        };
        /** Status */
        Status: {
            status: string;
        };
        /** SignIn */
        SignIn: {
            /** @description UUID. */
            id: string;
            user_agent: string;
            /** @description IP address. */
            address: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When its refresh cookie was last used.
             */
            last_used_at: string;
            /** Format: date-time */
            expires_at: string;
            /** @description Whether this request belongs to it. */
            current: boolean;
        };
        /** CreatePersonalTokenRequest */
        CreatePersonalTokenRequest: {
            name: string;
            scopes: ("account:read" | "agents:read" | "agents:write" | "apps:read" | "artifacts:read" | "artifacts:write" | "audio:write" | "integrations:read" | "integrations:write" | "keys:read" | "keys:write" | "memory:read" | "memory:write" | "runs:read" | "runs:write" | "sessions:read" | "sessions:write" | "webhooks:read" | "webhooks:write")[];
            user_id?: string | null;
            /** @default 7776000 */
            expires_in_seconds?: number;
        };
        /** NewPersonalToken */
        NewPersonalToken: {
            /** @description UUID. */
            id: string;
            name: string;
            scopes: ("account:read" | "agents:read" | "agents:write" | "apps:read" | "artifacts:read" | "artifacts:write" | "audio:write" | "integrations:read" | "integrations:write" | "keys:read" | "keys:write" | "memory:read" | "memory:write" | "runs:read" | "runs:write" | "sessions:read" | "sessions:write" | "webhooks:read" | "webhooks:write")[];
            user_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            last_used_at: string | null;
            /** @description The token itself, which is shown this once. */
            token: string;
        };
        /** PersonalToken */
        PersonalToken: {
            /** @description UUID. */
            id: string;
            name: string;
            scopes: ("account:read" | "agents:read" | "agents:write" | "apps:read" | "artifacts:read" | "artifacts:write" | "audio:write" | "integrations:read" | "integrations:write" | "keys:read" | "keys:write" | "memory:read" | "memory:write" | "runs:read" | "runs:write" | "sessions:read" | "sessions:write" | "webhooks:read" | "webhooks:write")[];
            user_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            last_used_at: string | null;
        };
        /** RevokedPersonalTokens */
        RevokedPersonalTokens: {
            status: string;
            revoked: number;
        };
        /** DeviceCodeRequest */
        DeviceCodeRequest: {
            /** @description Name of the program, shown to the person. */
            client_id: string;
            /** @description Scopes with spaces between: account:read agents:read agents:write apps:read artifacts:read artifacts:write audio:write integrations:read integrations:write keys:read keys:write memory:read memory:write runs:read runs:write sessions:read sessions:write webhooks:read webhooks:write. All by default. */
            scope?: string;
        };
        /**
         * DeviceCodeForm
         * @example {
         *       "client_id": "agentmesh on laptop",
         *       "scope": "runs:read runs:write"
         *     }
         */
        DeviceCodeForm: {
            /** @description Name of the program, shown to the person. */
            client_id: string;
            /** @description Scopes with spaces between: account:read agents:read agents:write apps:read artifacts:read artifacts:write audio:write integrations:read integrations:write keys:read keys:write memory:read memory:write runs:read runs:write sessions:read sessions:write webhooks:read webhooks:write. All by default. */
            scope?: string;
        };
        /** DeviceCode */
        DeviceCode: {
            /** @description Secret of the program. */
            device_code: string;
            /** @description What the person types. */
            user_code: string;
            verification_uri: string;
            verification_uri_complete: string;
            /** @description Seconds until both codes are void. */
            expires_in: number;
            /** @description Seconds to wait between two requests for the token. */
            interval: number;
        };
        /** DeviceRefusal */
        DeviceRefusal: {
            /** @enum {unknown} */
            error: "authorization_pending" | "slow_down" | "access_denied" | "expired_token" | "invalid_scope";
            error_description: string;
        };
        /** DeviceTokenRequest */
        DeviceTokenRequest: {
            /** @enum {string} */
            grant_type: "urn:ietf:params:oauth:grant-type:device_code";
            device_code: string;
            client_id?: string;
        };
        /**
         * DeviceTokenForm
         * @example {
         *       "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
         *       "device_code": "the device_code of the answer before"
         *     }
         */
        DeviceTokenForm: {
            /** @enum {string} */
            grant_type: "urn:ietf:params:oauth:grant-type:device_code";
            device_code: string;
            client_id?: string;
        };
        /** DeviceToken */
        DeviceToken: {
            /** @description A personal token. */
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            expires_in: number;
            scope: string;
        };
        /** DeviceRequest */
        DeviceRequest: {
            user_code: string;
            /** @description Name of the program, which it has chosen itself. */
            client: string;
            scopes: string[];
            /** Format: date-time */
            expires_at: string;
        };
        /** DeviceDecision */
        DeviceDecision: {
            user_code: string;
        };
        /** AddressRequest */
        AddressRequest: {
            email: string;
        };
        /** Done */
        Done: {
            status: string;
        };
        /** ResetPasswordRequest */
        ResetPasswordRequest: {
            token: string;
            new_password: string;
        };
        /** VerifyEmailRequest */
        VerifyEmailRequest: {
            token: string;
        };
        /**
         * UpdateUserRequest
         * @description Unknown fields are ignored.
         */
        UpdateUserRequest: {
            first_name?: string | null;
            last_name?: string | null;
            username?: string | null;
            full_name?: string | null;
            onboarding_completed?: boolean | null;
        };
        /**
         * Erasure
         * @description The receipt of a deletion. It says how much was erased, and nothing of what.
         */
        Erasure: {
            /** @description `complete`: every service has erased what it had. */
            status: "pending" | "complete";
            /** @description They were asked again for so long that nothing from before the deletion can still arrive. */
            final: boolean;
            requested_at: string;
            /** @description Null while it is pending. */
            completed_at: string | null;
            services: components["schemas"]["ErasedPart"][];
        };
        /** ErasedPart */
        ErasedPart: {
            service: string;
            /** @description When it had erased everything; null: not yet. */
            erased_at: string | null;
            counts: {
                [key: string]: unknown;
            };
        };
        /** Action */
        Action: {
            /** @description UUID. */
            id: string;
            /** @description ISO 8601. */
            at: string;
            /** @description Such as `signed_in`, `password_reset`, `account_deleted` or `consumer_called`. */
            action: string;
            /** @description The account, as `uid` of its tokens; null where an address without one was tried. */
            account_id: string | null;
            /** @description Who did it; null where nobody had signed in, or the service itself did it. */
            actor_id: string | null;
            detail: {
                [key: string]: unknown;
            };
        };
        /** ExportLine */
        ExportLine: {
            /** @description Such as `session`, `event` or `artifact_bytes`. */
            kind: string;
            /** @description What the record belongs to. */
            of?: {
                [key: string]: unknown;
            };
            /** @description The record, as its own route answers it. */
            data: {
                [key: string]: unknown;
            };
        };
        /** DetailedAppList */
        DetailedAppList: {
            apps: components["schemas"]["DetailedApp"][];
        };
        /** DetailedApp */
        DetailedApp: {
            name: string;
            rootAgentName: string;
            description: string;
            language: string;
            /** @default false */
            isComputerUse: boolean;
            agents?: {
                [key: string]: unknown;
            } | null;
            /** @enum {unknown} */
            state: "ready" | "loading" | "failed" | "stale";
            mistakes: components["schemas"]["FileMistake"][];
        };
        /** FileMistake */
        FileMistake: {
            file: string;
            line?: number;
            column?: number;
            key: string;
            reason: string;
        };
        /** AppInfo */
        AppInfo: {
            name: string;
            rootAgentName: string;
            description: string;
            language: string;
            /** @default false */
            isComputerUse: boolean;
            agents?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * AgentSchema
         * @description A JSON Schema, draft 7.
         */
        AgentSchema: Record<string, never>;
        /**
         * RunAgentRequest
         * @description Either `newMessage` or `invocationId` is required.
         */
        RunAgentRequest: {
            userId: string;
            sessionId: string;
            appName: string;
            newMessage?: components["schemas"]["Content"] | null;
            /** @default false */
            streaming?: boolean;
            stateDelta?: {
                [key: string]: unknown;
            } | null;
            functionCallEventId?: string | null;
            invocationId?: string | null;
            customMetadata?: {
                [key: string]: unknown;
            } | null;
            serviceTier?: string | null;
            onDisconnect?: ("continue" | "cancel") | null;
            multitask?: ("enqueue" | "reject" | "interrupt" | "rollback") | null;
        };
        /** Content */
        Content: {
            parts?: components["schemas"]["Part"][] | null;
            role?: ("user" | "model") | null;
        };
        /** Part */
        Part: {
            text?: string | null;
            thought?: boolean | null;
            thoughtSignature?: string | null;
            partMetadata?: {
                [key: string]: unknown;
            } | null;
            mediaResolution?: {
                level?: string | null;
                numTokens?: number | null;
            } | null;
            codeExecutionResult?: {
                outcome?: string | null;
                output?: string | null;
                id?: string | null;
            } | null;
            executableCode?: {
                code?: string | null;
                language?: string | null;
                id?: string | null;
            } | null;
            fileData?: components["schemas"]["FileData"] | null;
            inlineData?: components["schemas"]["Blob"] | null;
            functionCall?: components["schemas"]["FunctionCall"] | null;
            functionResponse?: components["schemas"]["FunctionResponse"] | null;
            videoMetadata?: {
                startOffset?: string | null;
                endOffset?: string | null;
                fps?: number | null;
            } | null;
            toolCall?: {
                id?: string | null;
                toolType?: string | null;
                args?: {
                    [key: string]: unknown;
                } | null;
            } | null;
            toolResponse?: {
                id?: string | null;
                toolType?: string | null;
                response?: {
                    [key: string]: unknown;
                } | null;
            } | null;
            audioTranscription?: components["schemas"]["Transcription"] | null;
            mediaProcessing?: string | null;
            speechMetadata?: ({
                speaker?: string | null;
                style?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        /** FileData */
        FileData: {
            displayName?: string | null;
            fileUri?: string | null;
            mimeType?: string | null;
        };
        /** Blob */
        Blob: {
            data?: string | null;
            displayName?: string | null;
            mimeType?: string | null;
        };
        /** FunctionCall */
        FunctionCall: {
            id?: string | null;
            name?: string | null;
            args?: {
                [key: string]: unknown;
            } | null;
            willContinue?: boolean | null;
            partialArgs?: {
                jsonPath?: string | null;
                boolValue?: boolean | null;
                nullValue?: string | null;
                numberValue?: number | null;
                stringValue?: string | null;
                willContinue?: boolean | null;
            }[] | null;
        };
        /** FunctionResponse */
        FunctionResponse: {
            id?: string | null;
            name?: string | null;
            response?: {
                [key: string]: unknown;
            } | null;
            willContinue?: boolean | null;
            scheduling?: string | null;
            parts?: {
                inlineData?: components["schemas"]["Blob"] | null;
                fileData?: components["schemas"]["FileData"] | null;
            }[] | null;
        };
        /** Transcription */
        Transcription: {
            text?: string | null;
            finished?: boolean | null;
            languageCode?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** Event */
        Event: {
            id?: string;
            author: string;
            invocationId?: string;
            timestamp?: number;
            branch?: string | null;
            content?: components["schemas"]["Content"] | null;
            partial?: boolean | null;
            turnComplete?: boolean | null;
            turnCompleteReason?: string | null;
            finishReason?: string | null;
            errorCode?: string | null;
            errorMessage?: string | null;
            interrupted?: boolean | null;
            customMetadata?: {
                [key: string]: unknown;
            } | null;
            modelVersion?: string | null;
            usageMetadata?: components["schemas"]["UsageMetadata"] | null;
            groundingMetadata?: components["schemas"]["GroundingMetadata"] | null;
            citationMetadata?: ({
                citations?: ({
                    startIndex?: number | null;
                    endIndex?: number | null;
                    license?: string | null;
                    publicationDate?: ({
                        day?: number | null;
                        month?: number | null;
                        year?: number | null;
                    } & {
                        [key: string]: unknown;
                    }) | null;
                    title?: string | null;
                    uri?: string | null;
                } & {
                    [key: string]: unknown;
                })[] | null;
            } & {
                [key: string]: unknown;
            }) | null;
            cacheMetadata?: ({
                fingerprint?: string | null;
                contents_count?: number | null;
                cache_name?: string | null;
                expire_time?: number | null;
                invocations_used?: number | null;
                created_at?: number | null;
            } & {
                [key: string]: unknown;
            }) | null;
            avgLogprobs?: number | null;
            logprobsResult?: ({
                chosenCandidates?: ({
                    logProbability?: number | null;
                    token?: string | null;
                    tokenId?: number | null;
                } & {
                    [key: string]: unknown;
                })[] | null;
                topCandidates?: ({
                    candidates?: ({
                        logProbability?: number | null;
                        token?: string | null;
                        tokenId?: number | null;
                    } & {
                        [key: string]: unknown;
                    })[] | null;
                } & {
                    [key: string]: unknown;
                })[] | null;
                logProbabilitySum?: number | null;
            } & {
                [key: string]: unknown;
            }) | null;
            liveSessionResumptionUpdate?: ({
                newHandle?: string | null;
                resumable?: boolean | null;
                lastConsumedClientMessageIndex?: number | null;
            } & {
                [key: string]: unknown;
            }) | null;
            liveSessionId?: string | null;
            goAway?: ({
                timeLeft?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            voiceActivity?: ({
                voiceActivityType?: string | null;
                audioOffset?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            inputTranscription?: components["schemas"]["Transcription"] | null;
            outputTranscription?: components["schemas"]["Transcription"] | null;
            interactionId?: string | null;
            interactionStatus?: string | null;
            environmentId?: string | null;
            actions?: components["schemas"]["EventActions"];
            output?: unknown;
            nodeInfo?: {
                path?: string;
                outputFor?: string[] | null;
                messageAsOutput?: boolean | null;
            } & {
                [key: string]: unknown;
            };
            longRunningToolIds?: string[] | null;
            isolationScope?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** UsageMetadata */
        UsageMetadata: {
            promptTokenCount?: number | null;
            promptTokensDetails?: components["schemas"]["ModalityTokenCount"][] | null;
            candidatesTokenCount?: number | null;
            candidatesTokensDetails?: components["schemas"]["ModalityTokenCount"][] | null;
            cachedContentTokenCount?: number | null;
            cacheTokensDetails?: components["schemas"]["ModalityTokenCount"][] | null;
            thoughtsTokenCount?: number | null;
            toolUsePromptTokenCount?: number | null;
            toolUsePromptTokensDetails?: components["schemas"]["ModalityTokenCount"][] | null;
            totalTokenCount?: number | null;
            trafficType?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** ModalityTokenCount */
        ModalityTokenCount: {
            modality?: string | null;
            tokenCount?: number | null;
        } & {
            [key: string]: unknown;
        };
        /** GroundingMetadata */
        GroundingMetadata: {
            imageSearchQueries?: string[] | null;
            webSearchQueries?: string[] | null;
            retrievalQueries?: string[] | null;
            groundingChunks?: components["schemas"]["GroundingChunk"][] | null;
            groundingSupports?: components["schemas"]["GroundingSupport"][] | null;
            retrievalMetadata?: {
                vendorSearchDynamicRetrievalScore?: number | null;
            } | null;
            searchEntryPoint?: {
                renderedContent?: string | null;
                sdkBlob?: string | null;
            } | null;
            vendorMapsWidgetContextToken?: string | null;
            sourceFlaggingUris?: {
                flagContentUri?: string | null;
                sourceId?: string | null;
            }[] | null;
        };
        /** GroundingChunk */
        GroundingChunk: {
            image?: {
                sourceUri?: string | null;
                imageUri?: string | null;
                title?: string | null;
                domain?: string | null;
            } | null;
            web?: {
                domain?: string | null;
                title?: string | null;
                uri?: string | null;
            } | null;
            maps?: {
                placeId?: string | null;
                text?: string | null;
                title?: string | null;
                uri?: string | null;
                route?: {
                    distanceMeters?: number | null;
                    duration?: string | null;
                    encodedPolyline?: string | null;
                } | null;
                placeAnswerSources?: {
                    flagContentUri?: string | null;
                    reviewSnippet?: components["schemas"]["ReviewSnippet"][] | null;
                    reviewSnippets?: components["schemas"]["ReviewSnippet"][] | null;
                } | null;
            } | null;
            retrievedContext?: {
                documentName?: string | null;
                text?: string | null;
                title?: string | null;
                uri?: string | null;
                fileSearchStore?: string | null;
                pageNumber?: number | null;
                mediaId?: string | null;
                ragChunk?: {
                    pageSpan?: {
                        firstPage?: number | null;
                        lastPage?: number | null;
                    } | null;
                    text?: string | null;
                    chunkId?: string | null;
                    fileId?: string | null;
                } | null;
                customMetadata?: {
                    key?: string | null;
                    numericValue?: number | null;
                    stringValue?: string | null;
                    stringListValue?: {
                        values?: string[] | null;
                    } | null;
                }[] | null;
            } | null;
        };
        /** ReviewSnippet */
        ReviewSnippet: {
            authorAttribution?: {
                displayName?: string | null;
                photoUri?: string | null;
                uri?: string | null;
            } | null;
            flagContentUri?: string | null;
            vendorMapsUri?: string | null;
            relativePublishTimeDescription?: string | null;
            review?: string | null;
            reviewId?: string | null;
            title?: string | null;
        };
        /** GroundingSupport */
        GroundingSupport: {
            confidenceScores?: number[] | null;
            groundingChunkIndices?: number[] | null;
            segment?: {
                startIndex?: number | null;
                endIndex?: number | null;
                partIndex?: number | null;
                text?: string | null;
            } | null;
            renderedParts?: number[] | null;
        };
        /** EventActions */
        EventActions: {
            skipSummarization?: boolean | null;
            stateDelta?: {
                [key: string]: unknown;
            };
            artifactDelta?: {
                [key: string]: number;
            };
            transferToAgent?: string | null;
            transferReason?: string | null;
            escalate?: boolean | null;
            requestedAuthConfigs?: {
                [key: string]: unknown;
            };
            requestedToolConfirmations?: {
                [key: string]: unknown;
            };
            compaction?: {
                startTimestamp?: number | null;
                endTimestamp?: number | null;
                compactedContent?: components["schemas"]["Content"] | null;
            } | null;
            endOfAgent?: boolean | null;
            agentState?: {
                [key: string]: unknown;
            } | null;
            rewindBeforeInvocationId?: string | null;
            route?: boolean | null;
            renderUiWidgets?: {
                id?: string | null;
                provider?: string | null;
                payload?: {
                    [key: string]: unknown;
                } | null;
            }[] | null;
            setModelResponse?: unknown;
        };
        /**
         * StartRunRequest
         * @description Either `newMessage` or `invocationId` is required.
         */
        StartRunRequest: {
            userId: string;
            sessionId: string;
            appName: string;
            newMessage?: components["schemas"]["Content"] | null;
            /** @default false */
            streaming?: boolean;
            stateDelta?: {
                [key: string]: unknown;
            } | null;
            functionCallEventId?: string | null;
            invocationId?: string | null;
            customMetadata?: {
                [key: string]: unknown;
            } | null;
            serviceTier?: string | null;
            onDisconnect?: ("continue" | "cancel") | null;
            multitask?: ("enqueue" | "reject" | "interrupt" | "rollback") | null;
            webhook?: components["schemas"]["RunWebhookRequest"];
        };
        /** RunWebhookRequest */
        RunWebhookRequest: {
            /** @description A public https address. It gets a POST when the run waits, and when it has ended. */
            url: string;
            secret?: string | null;
        };
        /**
         * StartedRun
         * @description A run, and the webhook of the request.
         */
        StartedRun: {
            invocationId: string;
            appName: string;
            userId: string;
            sessionId: string;
            /** @enum {unknown} */
            status: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted";
            /** @description Place in the queue of the session, from 1, at most 1000; only while queued. */
            queuePosition?: number;
            /** @description Number of the latest attempt; 0 before the first one. */
            attempt: number;
            /** @description Acceptance, in Unix seconds. */
            createTime: number;
            /** @description Begin of the latest attempt, in Unix seconds. */
            startTime?: number;
            /** @description End of the latest attempt, in Unix seconds. */
            endTime?: number;
            /** @description The model that answered last, as it calls itself. */
            model?: string;
            /** @description The version of the agent in the latest attempt that has ended: the number of an agent under `/api/agents`; for files, the first 12 hex digits of a SHA-256 of the app’s folder. */
            agentVersion?: string;
            /** @description Latest change of these files, in Unix seconds. */
            agentFilesTime?: number;
            /**
             * @description The files have changed since that version and have mistakes: `/list-apps?detailed=true` has them.
             * @enum {unknown}
             */
            agentState?: "stale";
            /** @description Sources of tools that the agent had to do without. */
            unavailableTools?: components["schemas"]["UnavailableTool"][];
            usage?: components["schemas"]["RunUsage"];
            errorCode?: string;
            errorMessage?: string;
            customMetadata?: {
                [key: string]: unknown;
            };
            /** @description Function calls whose answers continue the run; only while waiting. Without `args` when these have more than 32 KiB together. */
            waitingFor?: components["schemas"]["WaitingCall"][];
            /** @description The last answer, when the run has ended or waits: a text, or the object or array that an agent with an `output_schema` answers. `{"truncated": true, "eventId"}` for one of more than 64 KiB. Only in the answers of `getRun` and `waitForRun`, and in messages of webhooks. */
            output?: unknown;
            /**
             * @description What the run waits for. `answer`: of a person or a long-running tool; `queue`: the run has not started; the others are told of a running run after some seconds, and may have ended up to six seconds ago. `lease`: its events cannot be stored, or its process is gone and no other one has taken it.
             * @enum {unknown}
             */
            waitingOn?: "model" | "keys" | "artifact" | "answer" | "lease" | "queue";
            /** @description Begin of the wait that `waitingOn` names, in Unix seconds. */
            since?: number;
            /** @description While waiting: when the default answer is given, if none has come, in Unix seconds. */
            answerBy?: number;
            webhook?: {
                url: string;
                /** @description Only if the request had none, and only in this answer: it is never shown again. */
                secret?: string;
            };
        };
        /** UnavailableTool */
        UnavailableTool: {
            /** @description The server of the tools. */
            name: string;
            reason: string;
        };
        /**
         * RunUsage
         * @description Sums of the UsageMetadata of the run’s events, of all attempts that have ended, and their cost. Of an attempt whose process died, what its stored events tell.
         */
        RunUsage: {
            /** @description Input tokens, cached ones included. */
            promptTokenCount?: number;
            /** @description Input tokens from the cache of the provider. */
            cachedContentTokenCount?: number;
            /** @description Output tokens. */
            candidatesTokenCount?: number;
            /** @description Output tokens of thoughts. */
            thoughtsTokenCount?: number;
            /** @description Input tokens of results of tools that the provider ran. */
            toolUsePromptTokenCount?: number;
            /** @description All tokens. */
            totalTokenCount?: number;
            /** @description Answers of models. */
            modelCalls: number;
            /** @description Calls of tools; one that was approved counts once. */
            toolCalls?: number;
            /** @description Time in which attempts ran; of every run that has ended or waits. */
            seconds?: number;
            /** @description US dollars, estimated from the price list that `/api/usage` names, of all calls with a known price, also of those that tools made. Absent when there was none. */
            cost?: number;
            /** @description Calls of models on the network whose price or use is not known: `cost` leaves them out. */
            unpricedCalls?: number;
        };
        /** WaitingCall */
        WaitingCall: {
            functionCallId: string;
            name: string;
            args?: {
                [key: string]: unknown;
            };
            /** @description The event that made the call. */
            eventId: string;
        };
        /**
         * Run
         * @description A run of an agent: one user message and everything that the agent did with it.
         */
        Run: {
            invocationId: string;
            appName: string;
            userId: string;
            sessionId: string;
            /** @enum {unknown} */
            status: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted";
            /** @description Place in the queue of the session, from 1, at most 1000; only while queued. */
            queuePosition?: number;
            /** @description Number of the latest attempt; 0 before the first one. */
            attempt: number;
            /** @description Acceptance, in Unix seconds. */
            createTime: number;
            /** @description Begin of the latest attempt, in Unix seconds. */
            startTime?: number;
            /** @description End of the latest attempt, in Unix seconds. */
            endTime?: number;
            /** @description The model that answered last, as it calls itself. */
            model?: string;
            /** @description The version of the agent in the latest attempt that has ended: the number of an agent under `/api/agents`; for files, the first 12 hex digits of a SHA-256 of the app’s folder. */
            agentVersion?: string;
            /** @description Latest change of these files, in Unix seconds. */
            agentFilesTime?: number;
            /**
             * @description The files have changed since that version and have mistakes: `/list-apps?detailed=true` has them.
             * @enum {unknown}
             */
            agentState?: "stale";
            /** @description Sources of tools that the agent had to do without. */
            unavailableTools?: components["schemas"]["UnavailableTool"][];
            usage?: components["schemas"]["RunUsage"];
            errorCode?: string;
            errorMessage?: string;
            customMetadata?: {
                [key: string]: unknown;
            };
            /** @description Function calls whose answers continue the run; only while waiting. Without `args` when these have more than 32 KiB together. */
            waitingFor?: components["schemas"]["WaitingCall"][];
            /** @description The last answer, when the run has ended or waits: a text, or the object or array that an agent with an `output_schema` answers. `{"truncated": true, "eventId"}` for one of more than 64 KiB. Only in the answers of `getRun` and `waitForRun`, and in messages of webhooks. */
            output?: unknown;
            /**
             * @description What the run waits for. `answer`: of a person or a long-running tool; `queue`: the run has not started; the others are told of a running run after some seconds, and may have ended up to six seconds ago. `lease`: its events cannot be stored, or its process is gone and no other one has taken it.
             * @enum {unknown}
             */
            waitingOn?: "model" | "keys" | "artifact" | "answer" | "lease" | "queue";
            /** @description Begin of the wait that `waitingOn` names, in Unix seconds. */
            since?: number;
            /** @description While waiting: when the default answer is given, if none has come, in Unix seconds. */
            answerBy?: number;
        };
        /** CancelledSession */
        CancelledSession: {
            /** @enum {string} */
            status: "cancelled";
            session_id: string;
        };
        /** RunMessage */
        RunMessage: {
            newMessage: components["schemas"]["Content"];
        };
        /**
         * RunAnswer
         * @description Either `functionResponse` or `functionResponses` is required.
         */
        RunAnswer: {
            functionResponse?: components["schemas"]["FunctionAnswer"];
            functionResponses?: components["schemas"]["FunctionAnswer"][];
        };
        /** FunctionAnswer */
        FunctionAnswer: {
            /** @description `functionCallId` of an entry of `waitingFor`. */
            id: string;
            /** @description Its `name`. */
            name: string;
            response: {
                [key: string]: unknown;
            };
        };
        /**
         * RunTrace
         * @description When the agents, models and tools of a run were at work.
         */
        RunTrace: {
            /**
             * @description Version of the names of attributes.
             * @example 1.37.0
             */
            semanticConventions: string;
            spans: components["schemas"]["RunSpan"][];
        };
        /** RunSpan */
        RunSpan: {
            id: string;
            /** @description Absent for the span of an attempt. */
            parentId?: string;
            /** @example chat openai/gpt-5 */
            name: string;
            /** @description Unix time in seconds. */
            start: number;
            /** @description Unix time in seconds. */
            end: number;
            status: "ok" | "error";
            /** @description `gen_ai.…` as OpenTelemetry names them; `agentmesh.event.id` is the event of the run that was made in the span, which holds what was said. */
            attributes: {
                [key: string]: unknown;
            };
        };
        /**
         * RunLog
         * @description The code of the app has printed these lines, or the mesh warns of something.
         */
        RunLog: {
            /** @description Oldest first, attempt by attempt. */
            lines: components["schemas"]["RunLogLine"][];
            /** @description Number of lines beyond the bounds of a run, which are not kept. Absent without any. */
            leftOut?: number;
        };
        /** RunLogLine */
        RunLogLine: {
            /** @description Unix time in seconds. */
            time: number;
            level: "debug" | "info" | "warn" | "error";
            /** @description At most 4,096 characters. */
            message: string;
            /** @description `app`: code of the app has printed it. `mesh`: this server tells it. */
            source: "app" | "mesh";
            attempt: number;
            /** @description Such as `tool`, `model`, `errorCode`, and `stack` within the folder of the app. */
            attributes?: {
                [key: string]: unknown;
            };
        };
        /** RunTicket */
        RunTicket: {
            /** @description For the query of `watchRun`. */
            ticket: string;
            /** @description In Unix seconds. A stream that is open then goes on. */
            expireTime: number;
        };
        /** WebhookDelivery */
        WebhookDelivery: {
            /** @description The header `webhook-id`, the same in every attempt. */
            id: string;
            /** @description `run.completed`, `run.failed`, `run.cancelled`, `run.interrupted` or `run.waiting`. */
            type: string;
            /** @enum {unknown} */
            status: "pending" | "delivered" | "failed";
            /** @description Attempts that have begun. */
            attempts: number;
            /** @description When the run was seen in this state, in Unix seconds. */
            createTime: number;
            /** @description Begin of the latest attempt, in Unix seconds. */
            lastAttemptTime?: number;
            /** @description When the next attempt is due, in Unix seconds. */
            nextAttemptTime?: number;
            /** @description HTTP status of the last answer. */
            responseStatus?: number;
            /** @description Why the last attempt failed. */
            error?: string;
        };
        /** CreateAdkSessionRequest */
        CreateAdkSessionRequest: {
            /** @description The app: `agent<N>`, or a name of `/list-apps`. */
            agent_name: string;
            /** @description User of the session. */
            user_id: string;
            session_id: string;
            data?: {
                [key: string]: unknown;
            } | null;
        };
        /** AdkSession */
        AdkSession: {
            id: string;
            appName: string;
            userId: string;
            state: {
                [key: string]: unknown;
            };
            events: unknown[];
            lastUpdateTime: number;
        };
        /** AdkMessages */
        AdkMessages: {
            messages: {
                /** @description `user` or `assistant`. */
                role: string;
                content: string;
                /** @description Unix time in seconds. */
                timestamp: number;
                thinking?: string;
            }[];
        };
        /** DeletedAdkSession */
        DeletedAdkSession: {
            message: string;
        };
        /** RunAdkAgentRequest */
        RunAdkAgentRequest: {
            /** @description The app: `agent<N>`, or a name of `/list-apps`. */
            agent_name: string;
            /** @description User of the session. */
            user_id: string;
            session_id: string;
            run_mode?: string | null;
            /** @default false */
            streaming?: boolean;
            new_message: components["schemas"]["Content"];
        };
        /** NotificationList */
        NotificationList: {
            notifications: components["schemas"]["Notification"][];
            unread_count: number;
        };
        /** Notification */
        Notification: {
            id: number;
            /** @description `run_completed`, `run_failed`, `run_cancelled`, `run_interrupted`, `subscription_failing` or `schedule_paused`. */
            type: string;
            /** @description For example the name of the agent, or the subject of the mail. */
            title: string;
            /** @description For a failed run its error. */
            message: string;
            /** @description This and the next three are empty when it is not about a run. */
            app_name: string;
            user_id: string;
            session_id: string;
            invocation_id: string;
            read: boolean;
            read_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        /** UnreadCount */
        UnreadCount: {
            count: number;
            unread_count: number;
        };
        /** MarkedNotifications */
        MarkedNotifications: {
            marked: number;
        };
        /** Change */
        Change: {
            /** @enum {unknown} */
            kind: "run" | "wait" | "notification" | "agent" | "schedule";
            /** @description For a run and a wait the `invocationId`. */
            id: string;
            /** @enum {unknown} */
            op: "added" | "changed" | "removed";
            /** @description For a run and a wait the app of its session. */
            app_name?: string;
            /** @description For a run and a wait the user of its session. */
            user_id?: string;
            /** @description For a run and a wait its session: runs of several sessions may have one id. */
            session_id?: string;
        };
        /** SlowAccount */
        SlowAccount: {
            /** @description The account, as `uid` of its tokens. */
            account_id: string;
            /** @description Its e-mail address; null when it is deleted, or when the service of accounts does not answer. */
            email: string | null;
            /** @description Runs that were accepted in these minutes, and those that have not ended. */
            runs: number;
            /** @description Those of them that have not ended. */
            active: number;
            /** @description Those of them that have failed. */
            failed: number;
            /** @description Mean time of a run from its acceptance until its end or now, in seconds. */
            mean_seconds: number;
            /** @description The longest of these times, in seconds. */
            longest_seconds: number;
            /**
             * @description What took most of that time: `queue` before the start, `agents` for tools, short waits and work of the server, or the part of the server that was waited for.
             * @enum {unknown}
             */
            reason: "queue" | "model" | "keys" | "artifact" | "lease" | "agents";
            spent: {
                /** @enum {unknown} */
                on: "queue" | "model" | "keys" | "artifact" | "lease" | "agents";
                /** @description Sum over the runs, in seconds. */
                seconds: number;
            }[];
        };
        /** HeldRun */
        HeldRun: {
            account_id: string;
            app: string;
            /** @enum {unknown} */
            status: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted";
            attempt: number;
            /** @description Id of the process that executes the run or has accepted it; null when the run is over. */
            holder: string | null;
            /** @description Host name of that process: in Kubernetes the name of the pod. */
            pod: string | null;
            /** @description As `waitingOn` of the record of the run. */
            waiting_on: string | null;
            /**
             * @deprecated
             * @description Until 0.2: `waiting_on`.
             */
            waitingOn: string | null;
            /** @description Begin of that wait. ISO 8601. */
            since: string | null;
            /** @description Null unless the run is queued. */
            queue: {
                /** @description Place among the runs of the session that have not started. */
                position: number;
                /** @description Runs of the session that come before it, at most 20. */
                ahead: string[];
            } | null;
        };
        /**
         * Schedule
         * @description A message that is sent to an app at the times of a cron expression.
         */
        Schedule: {
            id: string;
            /** @description Five fields: minute, hour, day of the month, month, day of the week; or six with seconds first. */
            cron: string;
            /** @description Name of a time zone, for example `Europe/Berlin`. */
            timezone: string;
            /** @description Until 0.2 also `appName`. */
            app_name: string;
            /** @description Until 0.2 also `userId`. */
            user_id: string;
            /** @description Session of all runs; null: each tick has a session of its own. */
            session_id: string | null;
            new_message: components["schemas"]["Content"];
            multitask?: ("enqueue" | "reject" | "interrupt" | "rollback") | null;
            /** @description Whether ticks that were missed are made up: at most 100 in a row, and none that is more than a day old. */
            catch_up: boolean;
            /** @description False: paused. */
            enabled: boolean;
            /** @description The next three ticks; none while paused. */
            next_times: string[];
            /** @description The latest tick that was acted on. */
            last_run: components["schemas"]["ScheduledRun"] | null;
            /** @description Ticks that were missed and not made up. At most 100 are counted each time that ticks were missed. */
            missed_ticks: number;
            /** @description The latest tick that was missed. */
            last_missed_at: string | null;
            created_at: string;
            updated_at: string;
            /**
             * @deprecated
             * @description Until 0.2: `app_name`.
             */
            appName: string;
            /**
             * @deprecated
             * @description Until 0.2: `user_id`.
             */
            userId: string;
            /**
             * @deprecated
             * @description Until 0.2: `session_id`.
             */
            sessionId: string | null;
            /**
             * @deprecated
             * @description Until 0.2: `new_message`.
             */
            newMessage: {
                [key: string]: unknown;
            };
        };
        /** ScheduledRun */
        ScheduledRun: {
            /** @description The tick. */
            scheduled_at: string;
            /** @description The run; null when it could not be started. */
            invocation_id: string | null;
            /** @description App of the run, which the schedule may have changed since. Absent: not known. */
            app_name?: string;
            /** @description Like `app_name`. */
            user_id?: string;
            session_id: string;
            /** @description Why the run could not be started; null when it was. */
            error: string | null;
        };
        /** CreateScheduleRequest */
        CreateScheduleRequest: {
            /** @description Five fields: minute, hour, day of the month, month, day of the week; or six with seconds first. */
            cron: string;
            /**
             * @description Name of a time zone, for example `Europe/Berlin`.
             * @default UTC
             */
            timezone?: string;
            /** @description Until 0.2 also `appName`. */
            app_name: string;
            /** @description Until 0.2 also `userId`. */
            user_id: string;
            session_id?: string | null;
            new_message: components["schemas"]["Content"];
            multitask?: ("enqueue" | "reject" | "interrupt" | "rollback") | null;
            /**
             * @description Whether ticks that were missed are made up: at most 100 in a row, and none that is more than a day old.
             * @default false
             */
            catch_up?: boolean;
            /**
             * @description False: paused.
             * @default true
             */
            enabled?: boolean;
        };
        /** UpdateScheduleRequest */
        UpdateScheduleRequest: {
            /** @description Five fields: minute, hour, day of the month, month, day of the week; or six with seconds first. */
            cron?: string;
            /** @description Name of a time zone, for example `Europe/Berlin`. */
            timezone?: string;
            /** @description Until 0.2 also `appName`. */
            app_name?: string;
            /** @description Until 0.2 also `userId`. */
            user_id?: string;
            session_id?: string | null;
            new_message?: components["schemas"]["Content"];
            multitask?: ("enqueue" | "reject" | "interrupt" | "rollback") | null;
            /** @description Whether ticks that were missed are made up: at most 100 in a row, and none that is more than a day old. */
            catch_up?: boolean;
            /** @description False: paused. */
            enabled?: boolean;
        };
        /** AgentRequest */
        AgentRequest: {
            agent_name: string;
            /** @description `provider/model`, or a list of up to five: the next one takes over when one fails. See `docs/models.md`. */
            agent_model: string | string[];
            model_retries?: number | null;
            agent_description: string;
            agent_instruction: string;
            /** @description `llm` or `base`, `router`, `sequential`, `parallel`, `loop`. */
            agent_type: string;
            agent_model_params?: components["schemas"]["AgentModelParams"] | null;
            agent_tools?: unknown[] | null;
            tools?: unknown[] | null;
            confirm_tools?: string[] | null;
            sub_agents?: (string | number)[] | null;
            loop_max_iterations?: number | null;
            output_key?: string | null;
            include_contents?: string | null;
            generate_content_config?: {
                [key: string]: unknown;
            } | null;
            disallow_transfer_to_parent?: boolean | null;
            disallow_transfer_to_peers?: boolean | null;
            multitask?: string | null;
            resumable?: boolean | null;
            on_disconnect?: string | null;
            run_limits?: {
                [key: string]: unknown;
            } | null;
            answer_timeout_seconds?: number | null;
            default_answer?: {
                [key: string]: unknown;
            } | null;
            retention?: (number | string) | null;
            answer_mail?: boolean | null;
            events_compaction_config?: {
                [key: string]: unknown;
            } | null;
            agent_skills?: unknown[] | null;
            skills?: unknown[] | null;
            tags?: unknown[] | null;
            input_schema?: unknown | null;
            output_schema?: unknown | null;
            output_schema_name?: string | null;
            memory_enabled?: boolean | null;
            artifacts_enabled?: boolean | null;
            superagent_template_id?: unknown | null;
            loop_exit_instruction?: string | null;
            hub_origin_id?: unknown | null;
            project_id?: unknown | null;
            guardrails_config?: unknown | null;
            mcp_servers?: unknown[] | null;
            code_executor?: unknown | null;
            skip_when_upstream?: unknown | null;
            owner_id?: unknown | null;
            organization_id?: unknown | null;
        };
        /** AgentModelParams */
        AgentModelParams: {
            model_api_key?: string | null;
            model_api_base?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** NewAgent */
        NewAgent: {
            /** @description `agent<N>`, as the reference answers it. Records have the number. */
            agent_id: string;
            /** @description `agent<N>`, the name of its app. */
            app_name: string;
            agent_name: string;
            /** @description `provider/model`, or a list of up to five: the next one takes over when one fails. See `docs/models.md`. */
            agent_model: string | string[];
            agent_description: string;
            owner_id: string;
            organization_id: string;
            /** Format: date-time */
            created_at: string;
            message: string;
        };
        /** Agent */
        Agent: {
            agent_id: number;
            agent_name: string;
            /** @description `provider/model`, or a list of up to five: the next one takes over when one fails. See `docs/models.md`. */
            agent_model: string | string[];
            agent_model_params: {
                [key: string]: unknown;
            };
            agent_description: string;
            agent_instruction: string;
            agent_type: string;
            agent_tools: string[];
            tools: string[];
            sub_agents: string[];
            agent_skills: unknown[];
            tags: unknown[];
            /** @description E-mail address of the account. */
            owner_id: string;
            /** @description Domain of the address. */
            organization_id: string;
            /** @description `active`. */
            status: string;
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        } & {
            [key: string]: unknown;
        };
        /** Message */
        Message: {
            message: string;
        };
        /** AgentVersion */
        AgentVersion: {
            version: number;
            /** Format: date-time */
            created_at: string;
            agent: {
                [key: string]: unknown;
            };
        };
        /** AgentStatus */
        AgentStatus: {
            /** @description `running` while a run waits or runs, on any replica; else `stopped`. */
            status: string;
            agent_id: number;
            active_runs: number;
            /** @description When the last run was accepted. */
            last_run_at: string | null;
            /** @description `queued`, `running`, `waiting` for an answer, `completed`, `failed`, `cancelled`, `interrupted`. */
            last_run_status: string | null;
            /** @description Why the last run failed; null when it did not fail. */
            last_error: string | null;
        };
        /**
         * StartAgentRunRequest
         * @example {
         *       "message": "Hello, mesh"
         *     }
         */
        StartAgentRunRequest: {
            message?: string | null;
            user_id?: string | null;
        };
        /** StartedAgentRun */
        StartedAgentRun: {
            message: string;
            agent_id: number;
            invocation_id: string;
            app_name: string;
            user_id: string;
            session_id: string;
        };
        /** ModelList */
        ModelList: {
            providers: {
                provider: string;
                requires_api_key: boolean;
                models: {
                    id: string;
                    name: string;
                    tag: string;
                }[];
            }[];
        };
        /** CreateSessionRequest */
        CreateSessionRequest: {
            sessionId?: string | null;
            state?: {
                [key: string]: unknown;
            } | null;
            events?: components["schemas"]["Event"][] | null;
            options?: {
                [key: string]: unknown;
            } | null;
        };
        /** Session */
        Session: {
            id: string;
            appName: string;
            userId: string;
            state?: {
                [key: string]: unknown;
            };
            events?: components["schemas"]["Event"][];
            /** @default 0 */
            lastUpdateTime?: number;
        };
        /** UpdateSessionRequest */
        UpdateSessionRequest: {
            stateDelta: {
                [key: string]: unknown;
            };
        };
        /** RewindRequest */
        RewindRequest: {
            /** @description Everything from the first event of this invocation on is rewound. */
            rewindBeforeInvocationId: string;
        };
        /**
         * ForkRequest
         * @description Either `eventId` or `invocationId` is required.
         */
        ForkRequest: {
            /** @description The last event of the copy. */
            eventId?: string;
            /** @description Its last event is the last event of the copy. */
            invocationId?: string;
            /** @description Id of the copy; random if absent. */
            sessionId?: string;
        };
        /** Retention */
        Retention: {
            rules: components["schemas"]["RetentionRule"][];
            /** @description What counts for applications that say it themselves (`retention` in their file) and have no rule here. */
            app_rules: components["schemas"]["RetentionRule"][];
            default_days?: number | null;
        };
        /** RetentionRule */
        RetentionRule: {
            app_name?: string | null;
            days?: number | null;
        };
        /** SetRetentionRequest */
        SetRetentionRequest: {
            rules: components["schemas"]["RetentionRule"][];
        };
        /** SaveArtifactRequest */
        SaveArtifactRequest: {
            filename: string;
            artifact: components["schemas"]["Part"];
            customMetadata?: {
                [key: string]: unknown;
            } | null;
        };
        /** ArtifactVersion */
        ArtifactVersion: {
            version: number;
            canonicalUri: string;
            customMetadata: {
                [key: string]: unknown;
            };
            /** @description Unix time in seconds. */
            createTime: number;
            mimeType?: string;
        };
        /** UpdateMemoryRequest */
        UpdateMemoryRequest: {
            sessionId: string;
        };
        /** MemoryList */
        MemoryList: {
            memories: components["schemas"]["Memory"][];
        };
        /** Memory */
        Memory: {
            id: string;
            content: components["schemas"]["Content"];
            author: string;
            /** Format: date-time */
            timestamp?: string;
            customMetadata: {
                [key: string]: unknown;
            };
            sessionId: string;
            eventId: string;
            invocationId: string;
        };
        /** MemoriesDeleted */
        MemoriesDeleted: {
            deleted: number;
        };
        /** SpeechUpload */
        SpeechUpload: {
            /**
             * Format: binary
             * @description webm, ogg, mp4, m4a, wav, flac, mp3 or aac.
             */
            file: string;
        };
        /** Transcript */
        Transcript: {
            /** @description What was said; empty for silence. */
            text: string;
            /** @description As the transcription server names it. */
            language?: string;
            /** @description Length of the recording. */
            duration_ms?: number;
            model?: string;
        };
        /** FinalizeRequest */
        FinalizeRequest: {
            /** @description Resource that the end user consented to. */
            connectorName: string;
            /** @description Your own e-mail address or account id, or the user of a session of yours that asked for the credential. */
            userId: string;
            /** @description Base64, as the consent page sent it back. */
            userIdValidationState: string;
            /** @description Nonce of the credential request. */
            consentNonce: string;
        };
        /** Finalized */
        Finalized: Record<string, never>;
        /** CreateSavedKeyRequest */
        CreateSavedKeyRequest: {
            /** @description 1 to 100 characters after trimming. */
            key_name: string;
            /** @description `openai`, `anthropic`, `gemini` or `google`; empty: that of the model. Another one is called by OpenAI’s API at `model_api_base`. */
            provider: string;
            /** @description The key, 4 to 500 printable ASCII characters. It is never shown again. */
            api_key_value: string;
            model?: string | null;
            model_api_base?: string | null;
            /**
             * @description Accepted and ignored: a key belongs to the account.
             * @default
             */
            owner_id?: string;
            /**
             * @description Accepted and ignored: a key belongs to the account.
             * @default
             */
            organization_id?: string;
        };
        /** SavedKeyAnswer */
        SavedKeyAnswer: {
            /** @description `apikey` and a number. */
            api_key_id: string;
            key_name: string;
            provider: string;
            /** @description Null: none. */
            model: string | null;
            /** @description Null: the address of the provider. */
            model_api_base: string | null;
            message: string;
        };
        /** SavedKey */
        SavedKey: {
            /** @description `apikey` and a number. */
            api_key_id: string;
            key_name: string;
            provider: string;
            /** @description Null: none. */
            model: string | null;
            /** @description Null: the address of the provider. */
            model_api_base: string | null;
            /** @description Reference of the key, for `model_api_key` of agents; never the key. */
            api_key_value: string;
            /** @description Last characters of the key; empty for a key of less than 12 characters. */
            last_four: string;
            /** @description Equal for equal keys of the account; changes with `ENCRYPT_KEY`. */
            fingerprint: string;
            /** @description E-mail address of the account. */
            owner_id: string;
            /** @description Domain of that address. */
            organization_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            last_used_at: string | null;
            /** @description `active`, or `needs_reentry` when the key can no longer be decrypted and must be entered again. */
            status: string;
        };
        /** UpdateSavedKeyRequest */
        UpdateSavedKeyRequest: {
            /** @description 1 to 100 characters after trimming. */
            key_name?: string;
            /** @description `openai`, `anthropic`, `gemini` or `google`; empty: that of the model. Another one is called by OpenAI’s API at `model_api_base`. */
            provider?: string;
            /** @description The new key. Its reference, `__unchanged__` or nothing: the key stays. */
            api_key_value?: string;
            model?: string | null;
            model_api_base?: string | null;
            /**
             * @description Accepted and ignored: a key belongs to the account.
             * @default
             */
            owner_id?: string;
            /**
             * @description Accepted and ignored: a key belongs to the account.
             * @default
             */
            organization_id?: string;
        };
        /** SavedKeyMessage */
        SavedKeyMessage: {
            message: string;
        };
        /** SavedKeyTest */
        SavedKeyTest: {
            /** @description The provider accepted the key. */
            ok: boolean;
            /** @description `accepted`, `refused`, `limited`, `failed` or `unreachable`. */
            outcome: string;
            /** @description Status of the provider’s answer. */
            http_status: number | null;
            /** @description Time until the answer began. */
            latency_ms: number;
            message: string;
        };
        /** ConnectPage */
        ConnectPage: {
            /** @description Address of the consent page; open it in the browser. */
            url: string;
            /** @description Comes back with the code, within ten minutes. */
            state: string;
            service: string;
        };
        /** OutlookCallback */
        OutlookCallback: {
            /** @description `code` of the redirect. */
            code: string;
            /** @description `state` of the redirect. 400 without it. */
            state?: string;
            /** @description As in the first step; may be left out. */
            redirect_uri?: string;
            /**
             * @description `microsoft_outlook` or `vendora_mail`.
             * @default microsoft_outlook
             */
            service?: string;
        };
        /** ConnectedIntegration */
        ConnectedIntegration: {
            success: boolean;
            service: string;
            email: string;
            /** @description As the client named it. */
            provider: string;
            /** @description Address of the mailbox. */
            username: string;
            /** @description Permissions that the user has granted. */
            scopes: string[];
            meta: {
                /** @description Name of the user at the provider; may be empty. */
                display_name: string;
                /** @description Id of the user at the provider. */
                provider_user_id: string;
            };
        };
        /** GmailCallback */
        GmailCallback: {
            /** @description `code` of the redirect. */
            code: string;
            /** @description `state` of the redirect. 400 without it. */
            state?: string;
            /** @description As in the first step; may be left out. */
            redirect_uri?: string;
            /**
             * @description `google_gmail` or `vendorb_mail`.
             * @default google_gmail
             */
            service?: string;
        };
        /** Integration */
        Integration: {
            id: number;
            /** @description As the client named it. */
            provider: string;
            /** @description Address of the mailbox. */
            username: string;
            /** @description Permissions that the user has granted. */
            scopes: string[];
            meta: {
                /** @description Name of the user at the provider; may be empty. */
                display_name: string;
                /** @description Id of the user at the provider. */
                provider_user_id: string;
            };
            /** Format: date-time */
            connected_at: string;
            /** @description `active`, or `revoked` when the mail account must be connected again. */
            token_status: string;
        };
        /** Disconnected */
        Disconnected: {
            success: boolean;
            message: string;
        };
        /** UsageReport */
        UsageReport: {
            from: string;
            to: string;
            usage: components["schemas"]["UsageRow"][];
            /** @description There are more rows than `limit`. */
            has_more: boolean;
            prices: {
                /** @description Price list that costs are estimated from. */
                version: string;
                /** @description Day on which it was made. */
                made_on: string;
            };
        };
        /** UsageRow */
        UsageRow: {
            day?: string;
            agent?: string;
            user_id?: string;
            /** @description `apikey` and a number, or `server`. */
            key?: string;
            /** @description `provider/model`. */
            model?: string;
            invocation_id?: string;
            /** @description Calls of models. */
            requests: number;
            /** @description As the provider counts them, cached ones included. */
            input_tokens: number;
            cached_tokens: number;
            /** @description Thoughts included. */
            output_tokens: number;
            /** @description Estimated from the price list. */
            cost_usd: number;
            /** @description Calls of models without a known price; they cost nothing here. */
            unpriced_requests: number;
        };
        /** UsageLimit */
        UsageLimit: {
            /** @description `account`, or a saved key such as `apikey7`. */
            scope: string;
            period: string;
            requests: number | null;
            tokens: number | null;
            cost_usd: number | null;
            /** @description Used and reserved since the period began. */
            used: {
                requests: number | null;
                tokens: number | null;
                cost_usd: number | null;
            };
            /**
             * Format: date-time
             * @description When the next period begins.
             */
            resets_at: string;
        };
        /** LimitAmounts */
        LimitAmounts: {
            requests?: number | null;
            tokens?: number | null;
            cost_usd?: number | null;
        };
        /** RemovedLimit */
        RemovedLimit: {
            message: string;
        };
        /** AdminUsage */
        AdminUsage: {
            /** @description The account, as `uid` of its tokens. */
            account_id?: string;
            /** @description `provider/model`. */
            model?: string;
            app?: string;
            /** @description Calls of models. */
            requests: number;
            /** @description As the provider counts them, cached ones included. */
            input_tokens: number;
            cached_tokens: number;
            /** @description Thoughts included. */
            output_tokens: number;
            /** @description Estimated from the price list. */
            cost_usd: number;
            /** @description Calls of models without a known price; they cost nothing here. */
            unpriced_requests: number;
        };
        /** WebhookSubscriptionList */
        WebhookSubscriptionList: {
            subscriptions: components["schemas"]["WebhookSubscription"][];
        };
        /** WebhookSubscription */
        WebhookSubscription: {
            id: number;
            /** @description As in the request that created the subscription. */
            provider: string;
            /** @description Id at the mail provider; for Gmail one that was made here. Null: nothing is registered. */
            subscription_id: string | null;
            /** @description Path of the folder, or id of the label; `ALL`: every label. */
            resource: string;
            /** @description One or more of `created`, `updated`, `deleted`, joined by commas. */
            change_type: string;
            agent_id: number;
            /** @description Null: the default message. */
            agent_message_template: string | null;
            /** @description `active`; `disabled` by its owner; `error` until the mail account is connected again; `expired` at the provider. */
            status: string;
            /** @description When the registration at the provider expires. It is renewed before. */
            expiration_datetime: string | null;
            created_at: string;
            /** @description Only mail from these addresses and `@domain`s runs the agent. Empty: mail from everybody. */
            allowed_senders: string[];
            /** @description Only mail whose sender the provider has authenticated (SPF, DKIM, DMARC) runs the agent. */
            require_authentication: boolean;
            /** @description Why the last attempt to renew or register failed, or why the agent cannot run. Null after a success. */
            last_error: string | null;
            /** @description Address of the mailbox. */
            mailbox: string;
        };
        /** CreateWebhookSubscriptionRequest */
        CreateWebhookSubscriptionRequest: {
            /** @description Agent of the account. */
            agent_id: number;
            /**
             * @description `vendora_mail` or `microsoft_outlook`: Outlook. `vendorb_mail` or `google_gmail`: Gmail.
             * @default microsoft_outlook
             */
            provider?: "vendora_mail" | "vendorb_mail" | "microsoft_outlook" | "google_gmail";
            resource?: string | null;
            /** @description One or more of `created`, `updated`, `deleted`, joined by commas. */
            change_type?: string;
            agent_message_template?: string | null;
            /** @description Only mail from these addresses and `@domain`s runs the agent. Empty: mail from everybody. */
            allowed_senders?: string[];
            require_authentication?: boolean;
        };
        /**
         * UpdateWebhookSubscriptionRequest
         * @description Absent fields and null change nothing.
         */
        UpdateWebhookSubscriptionRequest: {
            agent_id?: number | null;
            agent_message_template?: string | null;
            change_type?: string | null;
            status?: ("active" | "disabled") | null;
            allowed_senders?: string[] | null;
            require_authentication?: boolean | null;
        };
        /** WebhookSubscriptionDeleted */
        WebhookSubscriptionDeleted: {
            success: boolean;
            message: string;
        };
        /** WebhookLogList */
        WebhookLogList: {
            logs: components["schemas"]["WebhookLog"][];
            /** @description Number of logs that match. */
            total: number;
        };
        /** WebhookLog */
        WebhookLog: {
            id: number;
            subscription_id: number;
            agent_id: number;
            /** @description `created`, `updated` or `deleted`. */
            trigger_event: string;
            /** @description Null until the mail was fetched. */
            email_subject: string | null;
            /** @description Null until the mail was fetched. */
            email_sender: string | null;
            /** @description The message that the agent got. Text of the mail stands between marks. */
            agent_message: string | null;
            /** @description The agent's last text in the newest run that has succeeded; null before. */
            agent_response: string | null;
            /** @description `pending`, `in_progress`, `success`, `retrying`, `error` or `skipped`. */
            status: string;
            /** @description Why the last attempt failed or the mail was skipped; null after a success. */
            error_message: string | null;
            /** @description Null until the run has ended. */
            duration_ms: number | null;
            created_at: string;
            attachments: {
                filename: string;
                content_type: string;
                /** @description Bytes. */
                size: number;
            }[];
            /** @description Session of the run, in the application `agent<agent_id>`. */
            session_id: string;
            /** @description The newest run; null before the first. */
            invocation_id: string | null;
        };
        /** WebhookLogAnswer */
        WebhookLogAnswer: {
            log: components["schemas"]["WebhookLog"];
        };
        /** Retriggered */
        Retriggered: {
            message: string;
            log_id: number;
            status: string;
        };
        /** RetriggerRequest */
        RetriggerRequest: {
            log_ids?: number[];
            /**
             * @description The oldest 200 logs of active subscriptions that ended so; without `log_ids`.
             * @enum {unknown}
             */
            status?: "success" | "error" | "skipped";
            /** @description Only logs of this subscription; with `status`. */
            subscription_id?: number;
        };
        /** RetriggeredLogs */
        RetriggeredLogs: {
            /** @description Logs whose agents run again. */
            log_ids: number[];
            /** @description Named logs that do not exist, are under way, or whose subscription is not active. */
            skipped_ids: number[];
        };
        /** GraphNotifications */
        GraphNotifications: {
            value: {
                subscriptionId: string;
                clientState: string;
                changeType?: string;
                lifecycleEvent?: string;
                resourceData?: {
                    id: string;
                };
            }[];
        };
        /** GmailPush */
        GmailPush: {
            message: {
                /** @description Base64 of `{emailAddress, historyId}`. */
                data: string;
            };
            subscription?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
        };
    };
    getHealthLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    getHealthReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    getConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicConfig"];
                };
            };
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                page?: number;
                size?: number;
                /** @description How many at most; default 20. */
                limit?: number;
                /** @description `X-Next-Cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Where the next page begins; absent on the last. */
                    "X-Next-Cursor"?: string;
                    /** @description The next page, as `rel="next"`; absent on the last. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "correct horse battery",
                 *       "first_name": "Ada",
                 *       "last_name": "Lovelace"
                 *     }
                 */
                "application/json": components["schemas"]["SignUpRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The fields of `x-forms` are taken as `application/x-www-form-urlencoded` and `multipart/form-data` too. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["SignInRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
        };
    };
    refreshToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
        };
    };
    listSignIns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignIn"][];
                };
            };
        };
    };
    endSignIns: {
        parameters: {
            query?: {
                keep_current?: boolean;
                /** @description Revokes all personal tokens too. */
                tokens?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
        };
    };
    endSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
        };
    };
    listPersonalTokens: {
        parameters: {
            query?: {
                /** @description Only those bound to this end user. */
                user_id?: string;
                /** @description How many at most; default 200. */
                limit?: number;
                /** @description `X-Next-Cursor` of the page before. */
                cursor?: string;
                /**
                 * @deprecated
                 * @description Until 0.2: goes on after the token of this id, empty for the first page; the answer is `{tokens, has_more}`. Use `cursor`.
                 */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Where the next page begins; absent on the last. */
                    "X-Next-Cursor"?: string;
                    /** @description The next page, as `rel="next"`; absent on the last. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalToken"][];
                };
            };
        };
    };
    createPersonalToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ci",
                 *       "scopes": [
                 *         "sessions:write",
                 *         "runs:write"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreatePersonalTokenRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewPersonalToken"];
                };
            };
        };
    };
    revokePersonalTokens: {
        parameters: {
            query?: {
                /** @description Only those bound to this end user. */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedPersonalTokens"];
                };
            };
        };
    };
    revokePersonalToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
        };
    };
    revokeCurrentPersonalToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
        };
    };
    startDeviceSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The fields of `x-forms` are taken as `application/x-www-form-urlencoded` and `multipart/form-data` too. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "client_id": "agentmesh on laptop",
                 *       "scope": "runs:read runs:write"
                 *     }
                 */
                "application/json": components["schemas"]["DeviceCodeRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceCode"];
                };
            };
        };
    };
    claimDeviceToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The fields of `x-forms` are taken as `application/x-www-form-urlencoded` and `multipart/form-data` too. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
                 *       "device_code": "the device_code of the answer before"
                 *     }
                 */
                "application/json": components["schemas"]["DeviceTokenRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceToken"];
                };
            };
        };
    };
    getDeviceSignIn: {
        parameters: {
            query: {
                code: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceRequest"];
                };
            };
        };
    };
    approveDeviceSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user_code": "BCDF-GHJK"
                 *     }
                 */
                "application/json": components["schemas"]["DeviceDecision"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
        };
    };
    denyDeviceSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "user_code": "BCDF-GHJK"
                 *     }
                 */
                "application/json": components["schemas"]["DeviceDecision"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
        };
    };
    forgotPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": components["schemas"]["AddressRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    resendVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": components["schemas"]["AddressRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "the token of the mail",
                 *       "new_password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["ResetPasswordRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    verifyEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "the token of the mail"
                 *     }
                 */
                "application/json": components["schemas"]["VerifyEmailRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
        };
    };
    getCurrentUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `user_id` of the account.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `user_id` of the account.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `user_id` of the account.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        /** @description Unknown fields are ignored. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "first_name": "Augusta Ada"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateUserRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    getUserByEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description In upper or lower case.
                 * @example ada@example.com
                 */
                email: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    deleteUserByEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description In upper or lower case.
                 * @example ada@example.com
                 */
                email: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getErasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As `Location` of the deletion names it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The receipt of a deletion. It says how much was erased, and nothing of what. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description How many at most; default 50. */
                limit?: number;
                /** @description `X-Next-Cursor` of the page before. */
                cursor?: string;
                /**
                 * @deprecated
                 * @description Until 0.2: `next` of the page before, empty for the first one; the answer is `{entries, next}`. Use `cursor`.
                 */
                before?: string;
                /** @description Of one account only. */
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Where the next page begins; absent on the last. */
                    "X-Next-Cursor"?: string;
                    /** @description The next page, as `rel="next"`; absent on the last. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Action"][];
                };
            };
        };
    };
    exportAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One ExportLine of JSON on each line. The first has the kind `export` and names the kinds that follow in their order; the last has the kind `end` and counts them: an export without it is not whole. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    listApps: {
        parameters: {
            query?: {
                detailed?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[] | components["schemas"]["DetailedAppList"];
                };
            };
        };
    };
    getAppInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppInfo"];
                };
            };
        };
    };
    getAgentSchema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A JSON Schema, draft 7. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentSchema"];
                };
            };
        };
    };
    runAgent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Either `newMessage` or `invocationId` is required. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "appName": "echo",
                 *       "userId": "user",
                 *       "sessionId": "s1",
                 *       "streaming": true,
                 *       "newMessage": {
                 *         "role": "user",
                 *         "parts": [
                 *           {
                 *             "text": "Hello, mesh"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RunAgentRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"][];
                };
            };
        };
    };
    streamRun: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Either `newMessage` or `invocationId` is required. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "appName": "echo",
                 *       "userId": "user",
                 *       "sessionId": "s1",
                 *       "streaming": true,
                 *       "newMessage": {
                 *         "role": "user",
                 *         "parts": [
                 *           {
                 *             "text": "Hello, mesh"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RunAgentRequest"];
            };
        };
        responses: {
            /** @description One `data:` frame for each Event, and comments while nothing happens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                app?: string;
                user?: string;
                /** @description With `app` and `user` it names one session, which must exist. */
                session?: string;
                status?: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted";
                /**
                 * @description Only runs that were accepted at this time or later: RFC 3339, or Unix seconds.
                 * @example 2026-01-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Only runs that this version of their agent has answered: see `agentVersion` of a run.
                 * @example 7
                 */
                agentVersion?: string;
                /**
                 * @description Only runs that have cost so many US dollars or more: see `cost` of their `usage`.
                 * @example 0.1
                 */
                minCost?: number;
                /** @description How many at most; 100 where only a cursor or an order is sent. */
                limit?: number;
                /** @description `X-Next-Cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Where the next page begins; absent on the last. */
                    "X-Next-Cursor"?: string;
                    /** @description The next page, as `rel="next"`; absent on the last. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"][];
                };
            };
        };
    };
    startRun: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Either `newMessage` or `invocationId` is required. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "appName": "echo",
                 *       "userId": "user",
                 *       "sessionId": "s1",
                 *       "streaming": true,
                 *       "newMessage": {
                 *         "role": "user",
                 *         "parts": [
                 *           {
                 *             "text": "Hello, mesh"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["StartRunRequest"];
            };
        };
        responses: {
            /** @description A run, and the webhook of the request. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedRun"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: {
                app?: string;
                user?: string;
                /** @description Ids of runs are unique in a session only: copies of sessions go on under those of their sources, and clients choose ids. Without `app`, `user` and `session` the newest run with the id is meant. */
                session?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a run, as the header `X-Invocation-Id` names it.
                 * @example e-00000000-0000-4000-8000-000000000000
                 */
                invocation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A run of an agent: one user message and everything that the agent did with it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: {
                app?: string;
                user?: string;
                /** @description Ids of runs are unique in a session only: copies of sessions go on under those of their sources, and clients choose ids. Without `app`, `user` and `session` the newest run with the id is meant. */
                session?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a run, as the header `X-Invocation-Id` names it.
                 * @example e-00000000-0000-4000-8000-000000000000
                 */
                invocation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A run of an agent: one user message and everything that the agent did with it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    cancelSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
                /**
                 * @description Session of that user.
                 * @example s1
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelledSession"];
                };
            };
        };
    };
    waitForRun: {
        parameters: {
            query?: {
                app?: string;
                user?: string;
                /** @description Ids of runs are unique in a session only: copies of sessions go on under those of their sources, and clients choose ids. Without `app`, `user` and `session` the newest run with the id is meant. */
                session?: string;
                /** @description The longest wait. */
                seconds?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a run, as the header `X-Invocation-Id` names it.
                 * @example e-00000000-0000-4000-8000-000000000000
                 */
                invocation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A run of an agent: one user message and everything that the agent did with it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description A run of an agent: one user message and everything that the agent did with it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    addRunMessage: {
        parameters: {
            query?: {
                app?: string;
                user?: string;
                /** @description Ids of runs are unique in a session only: copies of sessions go on under those of their sources, and clients choose ids. Without `app`, `user` and `session` the newest run with the id is meant. */
                session?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a run, as the header `X-Invocation-Id` names it.
                 * @example e-00000000-0000-4000-8000-000000000000
                 */
                invocation_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "newMessage": {
                 *         "role": "user",
                 *         "parts": [
                 *           {
                 *             "text": "Only hotels with a pool."
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RunMessage"];
            };
        };
        responses: {
            /** @description A run of an agent: one user message and everything that the agent did with it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    answerRun: {
        parameters: {
            query?: {
                app?: string;
                user?: string;
                /** @description Ids of runs are unique in a session only: copies of sessions go on under those of their sources, and clients choose ids. Without `app`, `user` and `session` the newest run with the id is meant. */
                session?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a run, as the header `X-Invocation-Id` names it.
                 * @example e-00000000-0000-4000-8000-000000000000
                 */
                invocation_id: string;
            };
            cookie?: never;
        };
        /** @description Either `functionResponse` or `functionResponses` is required. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "functionResponse": {
                 *         "id": "adk-1",
                 *         "name": "adk_request_confirmation",
                 *         "response": {
                 *           "confirmed": true
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RunAnswer"];
            };
        };
        responses: {
            /** @description A run of an agent: one user message and everything that the agent did with it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    listSessionRuns: {
        parameters: {
            query?: {
                status?: "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "interrupted";
                /**
                 * @description Only runs that were accepted at this time or later: RFC 3339, or Unix seconds.
                 * @example 2026-01-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Only runs that this version of their agent has answered: see `agentVersion` of a run.
                 * @example 7
                 */
                agentVersion?: string;
                /**
                 * @description Only runs that have cost so many US dollars or more: see `cost` of their `usage`.
                 * @example 0.1
                 */
                minCost?: number;
                /** @description How many at most; 100 where only a cursor or an order is sent. */
                limit?: number;
                /** @description `X-Next-Cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
                /**
                 * @description Session of that user.
                 * @example s1
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Where the next page begins; absent on the last. */
                    "X-Next-Cursor"?: string;
                    /** @description The next page, as `rel="next"`; absent on the last. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"][];
                };
            };
        };
    };
    getRunTrace: {
        parameters: {
            query?: {
                app?: string;
                user?: string;
                /** @description Ids of runs are unique in a session only: copies of sessions go on under those of their sources, and clients choose ids. Without `app`, `user` and `session` the newest run with the id is meant. */
                session?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a run, as the header `X-Invocation-Id` names it.
                 * @example e-00000000-0000-4000-8000-000000000000
                 */
                invocation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description When the agents, models and tools of a run were at work. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTrace"];
                };
            };
        };
    };
    getRunLog: {
        parameters: {
            query?: {
                app?: string;
                user?: string;
                /** @description Ids of runs are unique in a session only: copies of sessions go on under those of their sources, and clients choose ids. Without `app`, `user` and `session` the newest run with the id is meant. */
                session?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a run, as the header `X-Invocation-Id` names it.
                 * @example e-00000000-0000-4000-8000-000000000000
                 */
                invocation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The code of the app has printed these lines, or the mesh warns of something. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunLog"];
                };
            };
        };
    };
    watchRun: {
        parameters: {
            query?: {
                app?: string;
                user?: string;
                /** @description Ids of runs are unique in a session only: copies of sessions go on under those of their sources, and clients choose ids. Without `app`, `user` and `session` the newest run with the id is meant. */
                session?: string;
                /**
                 * @description Id of an event: the stream begins behind it.
                 * @example 2
                 */
                after?: string;
                /** @description From `createRunTicket` with the same `app`, `user` and `session`, in place of other credentials. */
                ticket?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a run, as the header `X-Invocation-Id` names it.
                 * @example e-00000000-0000-4000-8000-000000000000
                 */
                invocation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A frame with `id:` and `data:` for each Event. `event: gap`: partial events are missing before the next frame, and the next whole event has their content. `event: end`, the last frame: the Run as it ended or began to wait. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The end was sent before: an EventSource then connects no more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    createRunTicket: {
        parameters: {
            query?: {
                app?: string;
                user?: string;
                /** @description Ids of runs are unique in a session only: copies of sessions go on under those of their sources, and clients choose ids. Without `app`, `user` and `session` the newest run with the id is meant. */
                session?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a run, as the header `X-Invocation-Id` names it.
                 * @example e-00000000-0000-4000-8000-000000000000
                 */
                invocation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunTicket"];
                };
            };
        };
    };
    listRunWebhookDeliveries: {
        parameters: {
            query?: {
                app?: string;
                user?: string;
                /** @description Ids of runs are unique in a session only: copies of sessions go on under those of their sources, and clients choose ids. Without `app`, `user` and `session` the newest run with the id is meant. */
                session?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a run, as the header `X-Invocation-Id` names it.
                 * @example e-00000000-0000-4000-8000-000000000000
                 */
                invocation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"][];
                };
            };
        };
    };
    resendRunWebhookDelivery: {
        parameters: {
            query?: {
                app?: string;
                user?: string;
                /** @description Ids of runs are unique in a session only: copies of sessions go on under those of their sources, and clients choose ids. Without `app`, `user` and `session` the newest run with the id is meant. */
                session?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of a run, as the header `X-Invocation-Id` names it.
                 * @example e-00000000-0000-4000-8000-000000000000
                 */
                invocation_id: string;
                /**
                 * @description Id of a delivery.
                 * @example msg_0000000000000000
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    createAdkSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent_name": "echo",
                 *       "user_id": "user",
                 *       "session_id": "session_1"
                 *     }
                 */
                "application/json": components["schemas"]["CreateAdkSessionRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdkSession"];
                };
            };
        };
    };
    getAdkSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The app: `agent<N>`, or a name of `/list-apps`.
                 * @example echo
                 */
                app_name: string;
                /** @example user */
                user_id: string;
                /** @example session_1 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdkMessages"];
                };
            };
        };
    };
    deleteAdkSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The app: `agent<N>`, or a name of `/list-apps`.
                 * @example echo
                 */
                app_name: string;
                /** @example user */
                user_id: string;
                /** @example session_1 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedAdkSession"];
                };
            };
        };
    };
    streamAdkRun: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent_name": "echo",
                 *       "user_id": "user",
                 *       "session_id": "session_1",
                 *       "run_mode": "run_sse",
                 *       "streaming": true,
                 *       "new_message": {
                 *         "role": "user",
                 *         "parts": [
                 *           {
                 *             "text": "Hello, mesh"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RunAdkAgentRequest"];
            };
        };
        responses: {
            /** @description One `data:` frame for each Event, and comments while nothing happens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    listNotifications: {
        parameters: {
            query?: {
                /** @description How many at most; default 50. */
                limit?: number;
                /** @description `X-Next-Cursor` of the page before. */
                cursor?: string;
                /**
                 * @deprecated
                 * @description Until 0.2: only notifications with a smaller id. Use `cursor`.
                 */
                before_id?: number;
                unread_only?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Where the next page begins; absent on the last. */
                    "X-Next-Cursor"?: string;
                    /** @description The next page, as `rel="next"`; absent on the last. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationList"];
                };
            };
        };
    };
    countUnreadNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnreadCount"];
                };
            };
        };
    };
    readNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the notification.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notification"];
                };
            };
        };
    };
    readAllNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarkedNotifications"];
                };
            };
        };
    };
    streamNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One `data:` frame for each new Notification, and comments while nothing happens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    streamChanges: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One `data:` frame with an `id:` for each Change. `event: gap` comes first, and where changes are unknown: read again what you show. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    listSlowAccounts: {
        parameters: {
            query?: {
                /** @description Runs that were accepted in these last minutes. */
                minutes?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlowAccount"][];
                };
            };
        };
    };
    findRunHolder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invocation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeldRun"];
                };
            };
        };
    };
    listSchedules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"][];
                };
            };
        };
    };
    createSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cron": "0 9 * * MON-FRI",
                 *       "timezone": "Europe/Berlin",
                 *       "app_name": "echo",
                 *       "user_id": "user",
                 *       "new_message": {
                 *         "role": "user",
                 *         "parts": [
                 *           {
                 *             "text": "Good morning"
                 *           }
                 *         ]
                 *       },
                 *       "enabled": false
                 *     }
                 */
                "application/json": components["schemas"]["CreateScheduleRequest"];
            };
        };
        responses: {
            /** @description A message that is sent to an app at the times of a cron expression. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the schedule.
                 * @example 00000000-0000-4000-8000-000000000000
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A message that is sent to an app at the times of a cron expression. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the schedule.
                 * @example 00000000-0000-4000-8000-000000000000
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the schedule.
                 * @example 00000000-0000-4000-8000-000000000000
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cron": "30 8 * * MON-FRI"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateScheduleRequest"];
            };
        };
        responses: {
            /** @description A message that is sent to an app at the times of a cron expression. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    pauseSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the schedule.
                 * @example 00000000-0000-4000-8000-000000000000
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A message that is sent to an app at the times of a cron expression. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    resumeSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the schedule.
                 * @example 00000000-0000-4000-8000-000000000000
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A message that is sent to an app at the times of a cron expression. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description How many at most; 100 where only a cursor or an order is sent. */
                limit?: number;
                /** @description `X-Next-Cursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Where the next page begins; absent on the last. */
                    "X-Next-Cursor"?: string;
                    /** @description The next page, as `rel="next"`; absent on the last. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"][];
                };
            };
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent_name": "greeter",
                 *       "agent_model": "echo/echo",
                 *       "agent_description": "Says hello.",
                 *       "agent_instruction": "Greet the user.",
                 *       "agent_type": "llm"
                 *     }
                 */
                "application/json": components["schemas"]["AgentRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the agent, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewAgent"];
                };
            };
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent: `12` or `agent12`.
                 * @example 1
                 */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the agent, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent: `12` or `agent12`.
                 * @example 1
                 */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent_name": "greeter",
                 *       "agent_model": "echo/echo",
                 *       "agent_description": "Says hello.",
                 *       "agent_instruction": "Greet the user.",
                 *       "agent_type": "llm"
                 *     }
                 */
                "application/json": components["schemas"]["AgentRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the agent, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    deleteAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent: `12` or `agent12`.
                 * @example 1
                 */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    reloadAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent: `12` or `agent12`.
                 * @example 1
                 */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listAgentVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent: `12` or `agent12`.
                 * @example 1
                 */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentVersion"][];
                };
            };
        };
    };
    restoreAgentVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent: `12` or `agent12`.
                 * @example 1
                 */
                agent_id: string;
                /**
                 * @description Number of the version.
                 * @example 1
                 */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the agent, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    exportAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent: `12` or `agent12`.
                 * @example 1
                 */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Text of a `root_agent.yaml`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/yaml": string;
                };
            };
        };
    };
    replaceAgentWithYaml: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent: `12` or `agent12`.
                 * @example 1
                 */
                agent_id: string;
            };
            cookie?: never;
        };
        /** @description Text of a `root_agent.yaml`. */
        requestBody: {
            content: {
                /**
                 * @example name: rhymer
                 *     model: echo/echo
                 *     instruction: Answer in verse.
                 */
                "application/yaml": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the agent, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    importAgent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Text of a `root_agent.yaml`. */
        requestBody: {
            content: {
                /**
                 * @example name: poet
                 *     model: echo/echo
                 *     instruction: Answer in verse.
                 */
                "application/yaml": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The version of the agent, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewAgent"];
                };
            };
        };
    };
    checkAgentYaml: {
        parameters: {
            query?: {
                /** @description The agent that the text would replace: `12` or `agent12`. Absent: a new one. */
                agent_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Text of a `root_agent.yaml`. */
        requestBody: {
            content: {
                /**
                 * @example name: bard
                 *     model: echo/echo
                 *     instruction: Answer in verse.
                 */
                "application/yaml": string;
            };
        };
        responses: {
            /** @description The text can be used. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getAgentStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent: `12` or `agent12`.
                 * @example 1
                 */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentStatus"];
                };
            };
        };
    };
    startAgentRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent: `12` or `agent12`.
                 * @example 1
                 */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "message": "Hello, mesh"
                 *     }
                 */
                "application/json": components["schemas"]["StartAgentRunRequest"] | null;
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedAgentRun"];
                };
            };
        };
    };
    listModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelList"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description How many at most; 100 where only a cursor or an order is sent. */
                limit?: number;
                /** @description `X-Next-Cursor` of the page before. */
                cursor?: string;
                /** @description From the oldest on, or from the newest. A cursor keeps its own. */
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Where the next page begins; absent on the last. */
                    "X-Next-Cursor"?: string;
                    /** @description The next page, as `rel="next"`; absent on the last. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"][];
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "sessionId": "s1",
                 *       "state": {
                 *         "topic": "tea"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateSessionRequest"] | null;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The revision of the session, for `If-Match`. Shared `app:` and `user:` state is no part of it. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: {
                /** @description How many at most; 100 where only a cursor or an order is sent. */
                limit?: number;
                /** @description `X-Next-Cursor` of the page before. */
                cursor?: string;
                /** @description From the oldest on, or from the newest. A cursor keeps its own. */
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
                /**
                 * @description Session of that user.
                 * @example s1
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The revision of the session, for `If-Match`. Shared `app:` and `user:` state is no part of it. */
                    ETag?: string;
                    /** @description Where the next page begins; absent on the last. */
                    "X-Next-Cursor"?: string;
                    /** @description The next page, as `rel="next"`; absent on the last. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    createSessionWithId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
                /**
                 * @description Session of that user.
                 * @example s1
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "topic": "tea"
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                } | null;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The revision of the session, for `If-Match`. Shared `app:` and `user:` state is no part of it. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
                /**
                 * @description Session of that user.
                 * @example s1
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    updateSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
                /**
                 * @description Session of that user.
                 * @example s1
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "stateDelta": {
                 *         "topic": "coffee"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["UpdateSessionRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The revision of the session, for `If-Match`. Shared `app:` and `user:` state is no part of it. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    rewindSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
                /**
                 * @description Session of that user.
                 * @example s1
                 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rewindBeforeInvocationId": "e-00000000-0000-4000-8000-000000000000"
                 *     }
                 */
                "application/json": components["schemas"]["RewindRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The revision of the session, for `If-Match`. Shared `app:` and `user:` state is no part of it. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    forkSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
                /**
                 * @description Session of that user.
                 * @example s1
                 */
                session_id: string;
            };
            cookie?: never;
        };
        /** @description Either `eventId` or `invocationId` is required. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "invocationId": "e-00000000-0000-4000-8000-000000000000",
                 *       "sessionId": "s1-copy"
                 *     }
                 */
                "application/json": components["schemas"]["ForkRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description The revision of the session, for `If-Match`. Shared `app:` and `user:` state is no part of it. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    getRetention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retention"];
                };
            };
        };
    };
    setRetention: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rules": [
                 *         {
                 *           "app_name": null,
                 *           "days": 90
                 *         },
                 *         {
                 *           "app_name": "echo",
                 *           "days": null
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SetRetentionRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retention"];
                };
            };
        };
    };
    listArtifacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example echo */
                app_name: string;
                /** @example user */
                user_id: string;
                /** @example s1 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
        };
    };
    saveArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example echo */
                app_name: string;
                /** @example user */
                user_id: string;
                /** @example s1 */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filename": "notes.txt",
                 *       "artifact": {
                 *         "text": "Buy tea"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SaveArtifactRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactVersion"];
                };
            };
        };
    };
    loadArtifact: {
        parameters: {
            query?: {
                /** @description The latest when absent. */
                version?: number;
                /** @description media: the payload itself, with `Range` and `If-None-Match`. json: the Part. */
                alt?: "json" | "media";
            };
            header?: never;
            path: {
                /** @example echo */
                app_name: string;
                /** @example user */
                user_id: string;
                /** @example s1 */
                session_id: string;
                /** @example notes.txt */
                artifact_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Part"];
                };
            };
        };
    };
    uploadArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example echo */
                app_name: string;
                /** @example user */
                user_id: string;
                /** @example s1 */
                session_id: string;
                /** @example notes.txt */
                artifact_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactVersion"];
                };
            };
        };
    };
    deleteArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example echo */
                app_name: string;
                /** @example user */
                user_id: string;
                /** @example s1 */
                session_id: string;
                /** @example notes.txt */
                artifact_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listArtifactVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example echo */
                app_name: string;
                /** @example user */
                user_id: string;
                /** @example s1 */
                session_id: string;
                /** @example notes.txt */
                artifact_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": number[];
                };
            };
        };
    };
    listArtifactVersionRecords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example echo */
                app_name: string;
                /** @example user */
                user_id: string;
                /** @example s1 */
                session_id: string;
                /** @example notes.txt */
                artifact_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactVersion"][];
                };
            };
        };
    };
    loadArtifactVersion: {
        parameters: {
            query?: {
                /** @description media: the payload itself, with `Range` and `If-None-Match`. json: the Part. */
                alt?: "json" | "media";
            };
            header?: never;
            path: {
                /** @example echo */
                app_name: string;
                /** @example user */
                user_id: string;
                /** @example s1 */
                session_id: string;
                /** @example notes.txt */
                artifact_name: string;
                /**
                 * @description A number, or `latest`.
                 * @example latest
                 */
                version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Part"];
                };
            };
        };
    };
    getArtifactVersionRecord: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example echo */
                app_name: string;
                /** @example user */
                user_id: string;
                /** @example s1 */
                session_id: string;
                /** @example notes.txt */
                artifact_name: string;
                /**
                 * @description A number, or `latest`.
                 * @example latest
                 */
                version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactVersion"];
                };
            };
        };
    };
    readMemory: {
        parameters: {
            query?: {
                /** @description Searches, best first; without it memories are listed. */
                query?: string;
                /** @description How many at most: 10 of a search, 100 of a list. */
                limit?: number;
                /** @description Lists those of one session. */
                sessionId?: string;
                /** @description `X-Next-Cursor` of the page of the list before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Where the next page begins; absent on the last. */
                    "X-Next-Cursor"?: string;
                    /** @description The next page, as `rel="next"`; absent on the last. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryList"];
                };
            };
        };
    };
    deleteMemories: {
        parameters: {
            query?: {
                /** @description Deletes those of one session; without it all. */
                sessionId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoriesDeleted"];
                };
            };
        };
    };
    updateMemory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sessionId": "s1"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateMemoryRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    deleteMemory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Application, as `/list-apps` names it.
                 * @example echo
                 */
                app_name: string;
                /**
                 * @description End user of the application. Any text: users need not be created.
                 * @example user
                 */
                user_id: string;
                /**
                 * @description `id` of the memory, as the search answers it.
                 * @example a-memory
                 */
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    transcribeAudio: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["SpeechUpload"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transcript"];
                };
            };
        };
    };
    finalizeAgentIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "connectorName": "projects/acme/locations/us-central1/connectors/drive",
                 *       "userId": "user",
                 *       "userIdValidationState": "c3RhdGU=",
                 *       "consentNonce": "the nonce of the credential request"
                 *     }
                 */
                "application/json": components["schemas"]["FinalizeRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Finalized"];
                };
            };
        };
    };
    listSavedKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedKey"][];
                };
            };
        };
    };
    createSavedKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key_name": "Work",
                 *       "provider": "openai",
                 *       "api_key_value": "sk-the-key-itself",
                 *       "model": "gpt-5-mini"
                 *     }
                 */
                "application/json": components["schemas"]["CreateSavedKeyRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedKeyAnswer"];
                };
            };
        };
    };
    getSavedKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `apikey` and a number.
                 * @example apikey1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedKey"];
                };
            };
        };
    };
    replaceSavedKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `apikey` and a number.
                 * @example apikey1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key_name": "Work, renamed"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateSavedKeyRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedKeyAnswer"];
                };
            };
        };
    };
    deleteSavedKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `apikey` and a number.
                 * @example apikey1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedKeyMessage"];
                };
            };
        };
    };
    updateSavedKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `apikey` and a number.
                 * @example apikey1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key_name": "Work, renamed"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateSavedKeyRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedKeyAnswer"];
                };
            };
        };
    };
    testSavedKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `apikey` and a number.
                 * @example apikey1
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedKeyTest"];
                };
            };
        };
    };
    startOutlookConnection: {
        parameters: {
            query: {
                /** @description Where the provider sends the browser afterwards, with `code` and `state`: a page of the front end that is registered with the provider. */
                redirect_uri: string;
                /** @description `microsoft_outlook` or `vendora_mail`. */
                service?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectPage"];
                };
            };
        };
    };
    startGmailConnection: {
        parameters: {
            query: {
                /** @description Where the provider sends the browser afterwards, with `code` and `state`: a page of the front end that is registered with the provider. */
                redirect_uri: string;
                /** @description `google_gmail` or `vendorb_mail`. */
                service?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectPage"];
                };
            };
        };
    };
    finishOutlookConnection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "the code",
                 *       "state": "the state",
                 *       "redirect_uri": "http://127.0.0.1:8000/",
                 *       "service": "microsoft_outlook"
                 *     }
                 */
                "application/json": components["schemas"]["OutlookCallback"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectedIntegration"];
                };
            };
        };
    };
    finishGmailConnection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "the code",
                 *       "state": "the state",
                 *       "redirect_uri": "http://127.0.0.1:8000/",
                 *       "service": "google_gmail"
                 *     }
                 */
                "application/json": components["schemas"]["GmailCallback"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectedIntegration"];
                };
            };
        };
    };
    listIntegrations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"][];
                };
            };
        };
    };
    disconnectIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `microsoft_outlook`, `google_gmail`, `vendora_mail` or `vendorb_mail`.
                 * @example google_gmail
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Disconnected"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /**
                 * @description First day in UTC. Without it: the first day of the month of `to`.
                 * @example 2026-11-01
                 */
                from?: string;
                /**
                 * @description Last day in UTC. Without it: today.
                 * @example 2026-11-01
                 */
                to?: string;
                /** @description What each row is about, separated by commas: day, agent, user, key, model, run. Without it: day. */
                group_by?: string;
                /** @description Only this app, e.g. `agent12`. */
                agent?: string;
                /** @description Only this end user. */
                user_id?: string;
                /** @description Only this key; `server`: that of the settings. */
                key?: string;
                /** @description Only runs with this id, those of all sessions together. */
                invocation_id?: string;
                /** @description Most rows. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
        };
    };
    listUsageLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageLimit"][];
                };
            };
        };
    };
    setUsageLimit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `account`, or a saved key such as `apikey7`.
                 * @example account
                 */
                scope: string;
                /**
                 * @description `day` or `month`, in UTC.
                 * @example day
                 */
                period: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "requests": 1000,
                 *       "cost_usd": 5
                 *     }
                 */
                "application/json": components["schemas"]["LimitAmounts"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageLimit"];
                };
            };
        };
    };
    removeUsageLimit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `account`, or a saved key such as `apikey7`.
                 * @example account
                 */
                scope: string;
                /**
                 * @description `day` or `month`, in UTC.
                 * @example day
                 */
                period: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedLimit"];
                };
            };
        };
    };
    getUsageOfAccounts: {
        parameters: {
            query?: {
                /**
                 * @description First day in UTC. Without it: the first day of the month of `to`.
                 * @example 2026-11-01
                 */
                from?: string;
                /**
                 * @description Last day in UTC. Without it: today.
                 * @example 2026-11-01
                 */
                to?: string;
                /** @description What each row is about, separated by commas: account, model, app. Without it: all three. */
                group_by?: string;
                /** @description Most rows. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminUsage"][];
                };
            };
        };
    };
    listWebhookSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscriptionList"];
                };
            };
        };
    };
    createWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent_id": 1,
                 *       "provider": "microsoft_outlook",
                 *       "resource": "me/mailFolders('Inbox')/messages",
                 *       "change_type": "created",
                 *       "agent_message_template": "New mail from {{ sender }} about {{ subject }}:\n{{ body }}"
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhookSubscriptionRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    getWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the subscription.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    deleteWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the subscription.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscriptionDeleted"];
                };
            };
        };
    };
    updateWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the subscription.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        /** @description Absent fields and null change nothing. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "disabled"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateWebhookSubscriptionRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    renewWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the subscription.
                 * @example 1
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    listWebhookLogs: {
        parameters: {
            query?: {
                /** @description Only logs of this subscription. */
                subscription_id?: number;
                /** @description Only logs of this agent. */
                agent_id?: number;
                /** @description One or more of `pending`, `in_progress`, `success`, `retrying`, `error`, `skipped`, joined by commas; `failed` means `error,retrying`. */
                status?: string;
                /** @description Only logs from this date or time on (ISO 8601). */
                since?: string;
                /** @description Only logs up to this time, or to the end of this date (ISO 8601, UTC). */
                until?: string;
                /** @description Part of the subject or the sender. */
                q?: string;
                /** @description How many at most; default 50. */
                limit?: number;
                /** @description `X-Next-Cursor` of the page before. */
                cursor?: string;
                /** @description Default 0; not with a cursor. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description Where the next page begins; absent on the last. */
                    "X-Next-Cursor"?: string;
                    /** @description The next page, as `rel="next"`; absent on the last. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookLogList"];
                };
            };
        };
    };
    getWebhookLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the log.
                 * @example 1
                 */
                log_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookLogAnswer"];
                };
            };
        };
    };
    getWebhookLogBody: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the log.
                 * @example 1
                 */
                log_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The body as HTML. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
        };
    };
    getWebhookLogAttachment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the log.
                 * @example 1
                 */
                log_id: number;
                /**
                 * @description As in `attachments`.
                 * @example bill.pdf
                 */
                filename: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes of the file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
        };
    };
    retriggerWebhookLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the log.
                 * @example 1
                 */
                log_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retriggered"];
                };
            };
        };
    };
    retriggerWebhookLogs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "error"
                 *     }
                 */
                "application/json": components["schemas"]["RetriggerRequest"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetriggeredLogs"];
                };
            };
        };
    };
    receiveOutlookNotifications: {
        parameters: {
            query?: {
                /** @description Set when Microsoft checks the address. */
                validationToken?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Made when the subscription was created.
                 * @example x
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "value": []
                 *     }
                 */
                "application/json": components["schemas"]["GraphNotifications"];
            };
        };
        responses: {
            /** @description The decoded `validationToken` as text, when the request has one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description What could be used is stored. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveSharedOutlookNotifications: {
        parameters: {
            query?: {
                /** @description Set when Microsoft checks the address. */
                validationToken?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "value": []
                 *     }
                 */
                "application/json": components["schemas"]["GraphNotifications"];
            };
        };
        responses: {
            /** @description The decoded `validationToken` as text, when the request has one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description What could be used is stored. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveGmailNotification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "message": {
                 *         "data": "e30="
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["GmailPush"];
            };
        };
        responses: {
            /** @description The push is stored, or says nothing that can be used. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveOtherNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Any name.
                 * @example other
                 */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nothing was done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
