/** `edgeway/connections`: accounts of people at other services. */

export type * from '../../server/connection.ts'
export {
  type Connections,
  type ConnectionsOptions,
  connections,
} from './connections.ts'
export { type GoogleConnectionOptions, google } from './google.ts'
export { type ClientAssertion, type OAuthEndpoints, type OAuthOptions, oauth } from './oauth.ts'
export type { Connection } from './service.ts'
export { type ConnectionsSignIn, type SignInOptions, signInWith } from './sign-in.ts'
export { signedAssertion } from './signed-assertion.ts'
