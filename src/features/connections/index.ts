/** `edgeway/connections`: accounts of people at other services. */

export type * from '../../server/connection.ts'
export {
  type Connections,
  type ConnectionsOptions,
  type ConnectionsSignIn,
  connections,
} from './connections.ts'
export { type ClientAssertion, type OAuthEndpoints, type OAuthOptions, oauth } from './oauth.ts'
export type { Connection } from './service.ts'
export { signedAssertion } from './signed-assertion.ts'
