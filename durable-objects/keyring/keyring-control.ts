/** The port of the operator's calls, over the namespace of the keyring. */
import type { KeyringControl } from '../../src/ports/keyring-control.ts'
import { clientDigest } from '../../src/ports/revocations.ts'
import { callObject, type ObjectNamespace } from '../object-call.ts'
import type { McpKeyring } from './keyring-object.ts'
import { KEYRING_NAME, principalShard } from './object-names.ts'

export type ControlledKeyring = ObjectNamespace<
  Pick<McpKeyring, 'replaceKeys' | 'revoke' | 'listSessions' | 'leaveSession'>
>

/** @param server the audience of the server whose sessions are listed */
export function createKeyringControl(
  namespace: ControlledKeyring,
  server?: string,
): KeyringControl {
  return {
    replaceKeys: (replacement) =>
      callObject(async () => namespace.getByName(KEYRING_NAME).replaceKeys(replacement)),
    async revoke(clientId) {
      const client = clientId === undefined ? undefined : await clientDigest(clientId)
      return callObject(async () => namespace.getByName(KEYRING_NAME).revoke(client))
    },
    listSessions: (principal) =>
      callObject(async () =>
        namespace.getByName(principalShard(principal)).listSessions(principal, server),
      ),
    leaveSession: (principal, session) =>
      callObject(async () =>
        namespace.getByName(principalShard(principal)).leaveSession(principal, session),
      ),
  }
}
