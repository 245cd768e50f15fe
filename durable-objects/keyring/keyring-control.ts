/** The port of the operator's calls, over the namespace of the keyring. */
import type { KeyringControl } from '../../src/ports/keyring-control.ts'
import type { ObjectsOfKind } from '../../src/ports/objects.ts'
import { clientDigest } from '../../src/ports/revocations.ts'
import { callerOf } from '../object-call.ts'
import type { KeyringObject } from './keyring-object.ts'
import type { PrincipalsObject } from './principals-object.ts'
import { KEYRING_KEY, shardOf } from './shards.ts'

/** @param server the audience of the server whose sessions are listed */
export function createKeyringControl(
  keyrings: ObjectsOfKind<KeyringObject>,
  principals: ObjectsOfKind<PrincipalsObject>,
  server: string,
): KeyringControl {
  const call = callerOf(keyrings)
  const callShard = callerOf(principals)
  return {
    replaceKeys: (replacement) => call(KEYRING_KEY, (keyring) => keyring.replaceKeys(replacement)),
    async revoke(clientId) {
      const client = clientId === undefined ? undefined : await clientDigest(clientId)
      return call(KEYRING_KEY, (keyring) => keyring.revoke(client))
    },
    listSessions: (principal) =>
      callShard(shardOf(principal), (shard) => shard.listSessions(principal, server)),
    leaveSession: (principal, session) =>
      callShard(shardOf(principal), (shard) => shard.leaveSession(principal, session)),
  }
}
