/** What the account refuses, as the client is told it. */
import type { Refused } from '../../../ports/accounts.ts'
import { OAuthError } from '../../oauth-error.ts'
import type { AuthorizationServer } from '../authorization-server.ts'
import { invalidGrant } from './token-request.ts'

export function refusal({ report }: AuthorizationServer, { refused, reason }: Refused): OAuthError {
  report({ type: 'grant-refused', error: refused, reason })
  switch (refused) {
    case 'invalid_scope':
      return new OAuthError('invalid_scope', 'A refresh cannot ask for more than was granted')
    case 'invalid_target':
      return new OAuthError('invalid_target', 'The grant is for another resource')
    default:
      return invalidGrant()
  }
}
