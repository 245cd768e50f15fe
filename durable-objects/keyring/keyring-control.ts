/** The port of the operator's calls, over the namespace of the keyring. */
import type { KeyringControl } from '../../src/ports/keyring-control.ts'
import { clientDigest } from '../../src/ports/revocations.ts'
import { callerOf, type ObjectNamespace } from '../object-call.ts'
import type { McpKeyring } from './keyring-object.ts'
import { KEYRING_NAME, principalShard } from './object-names.ts'

export type ControlledKeyring = ObjectNamespace<
  Pick<McpKeyring, 'replaceKeys' | 'revoke' | 'listSessions' | 'leaveSession'>
>

/** @param server the audience of the server whose sessions are listed */
export function createKeyringControl(namespace: ControlledKeyring, server: string): KeyringControl {
  const call = callerOf(namespace)
  return {
    replaceKeys: (replacement) => call(KEYRING_NAME, (keyring) => keyring.replaceKeys(replacement)),
    async revoke(clientId) {
      const client = clientId === undefined ? undefined : await clientDigest(clientId)
      return call(KEYRING_NAME, (keyring) => keyring.revoke(client))
    },
    listSessions: (principal) =>
      call(principalShard(principal), (shard) => shard.listSessions(principal, server)),
    leaveSession: (principal, session) =>
      call(principalShard(principal), (shard) => shard.leaveSession(principal, session)),
  }
}
