/** The keyring whose keys for sealing all test files share, also those with a clock of their own. */

import { KeyringObject } from '../../durable-objects/keyring/keyring-object.ts'
import type { KeyringKey } from '../../durable-objects/keyring/seal-key.ts'
import { KEYRING_KEY } from '../../durable-objects/keyring/shards.ts'
import { readObjectName } from '../../src/ports/object-kinds.ts'

let shared: KeyringKey[] | undefined

/**
 * A file with a clock in the far future would otherwise delete the keys that the apps of other files have in
 * memory. Tests of the rotation have keyrings of their own.
 */
export class LastingKeyring extends KeyringObject {
  override async keys(): Promise<KeyringKey[]> {
    if (readObjectName(this.ctx.id.name)?.key !== KEYRING_KEY) return super.keys()
    shared ??= (await super.keys())
      .slice(0, 1)
      .map((key) => ({ ...key, usedFrom: 0, acceptedUntil: undefined }))
    return shared
  }
}
