export { describeRoutes } from './describe-routes.ts';
export { gateway } from './service.ts';
