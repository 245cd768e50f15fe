/** `keyring()`: the keys for sealing, and the object that creates and rotates them. */

import { createKeyringControl } from '../../../durable-objects/keyring/keyring-control.ts'
import { KeyringObject } from '../../../durable-objects/keyring/keyring-object.ts'
import type { PrincipalsObject } from '../../../durable-objects/keyring/principals-object.ts'
import { createSealer } from '../../../durable-objects/keyring/sealer.ts'
import { KEYRING_KEY } from '../../../durable-objects/keyring/shards.ts'
import { bindingOf } from '../../feature/binding.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { objects } from '../objects/objects.ts'
import { PRINCIPALS, REDEEMED } from './shared-parts.ts'

export type Keyring = Feature<'keyring'>

/** Seals what clients and rows keep. Brought by the features that seal something. */
export function keyring(): Keyring {
  return createFeature('keyring', createParts, [objects()])
}

function createParts(app: AppContext): FeatureParts {
  const onNewer = (purpose: string) => app.report({ type: 'sealed-by-newer-version', purpose })
  return {
    parts: {
      keyring: { create: (state, env) => new KeyringObject(state, env) },
      principals: PRINCIPALS,
      redeemed: REDEEMED,
    },
    health: {
      part: 'keyring',
      call: (objects) => objects.of<KeyringObject>('keyring')?.named(KEYRING_KEY).keys(),
    },
    services: {
      sealer: (bindings) => {
        const objects = app.objectsIn(bindings)
        const keyring = objects.of<KeyringObject>('keyring')
        // Replaces the sealing keys of the object.
        const secret = bindingOf<string>(bindings, 'EDGEWAY_SECRET')
        if (keyring === undefined && secret === undefined) return undefined
        return createSealer(
          { keyring, redeemed: objects.of('redeemed') },
          secret,
          undefined,
          onNewer,
        )
      },
      keyring: (bindings) => {
        const objects = app.objectsIn(bindings)
        const keyring = objects.of<KeyringObject>('keyring')
        const principals = objects.of<PrincipalsObject>('principals')
        return keyring && principals && createKeyringControl(keyring, principals, app.audience)
      },
    },
  }
}
