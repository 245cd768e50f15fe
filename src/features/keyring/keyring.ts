/** `keyring()`: the keys for sealing, and the object that creates and rotates them. */

import {
  type ControlledKeyring,
  createKeyringControl,
} from '../../../durable-objects/keyring/keyring-control.ts'
import { McpKeyring } from '../../../durable-objects/keyring/keyring-object.ts'
import { KEYRING_NAME } from '../../../durable-objects/keyring/object-names.ts'
import { createSealer } from '../../../durable-objects/keyring/sealer.ts'
import type { ObjectNamespace } from '../../../durable-objects/object-call.ts'
import { reportSharedAudience } from '../../../durable-objects/shared-bindings.ts'
import { bindingOf } from '../../feature/binding.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'

export type Keyring = Feature<'keyring', 'McpKeyring', object>

type KeyringNamespace = ObjectNamespace<Pick<McpKeyring, 'keys' | 'redeem'>> & ControlledKeyring

/** Seals what clients and rows keep. Brought by the features that seal something. */
export function keyring(): Keyring {
  return createFeature('keyring', createParts)
}

function createParts(app: AppContext): FeatureParts<'McpKeyring'> {
  const onNewer = (purpose: string) => app.report({ type: 'sealed-by-newer-version', purpose })
  return {
    objects: { McpKeyring },
    bindings: ['MCP_KEYRING'],
    health: {
      part: 'keyring',
      call: (bindings) =>
        bindingOf<KeyringNamespace>(bindings, 'MCP_KEYRING')?.getByName(KEYRING_NAME).keys(),
    },
    services: {
      sealer: (bindings) => {
        const objects = bindingOf<KeyringNamespace>(bindings, 'MCP_KEYRING')
        // Replaces the sealing keys of the object.
        const secret = bindingOf<string>(bindings, 'EDGEWAY_SECRET')
        if (objects === undefined && secret === undefined) return undefined
        const { serverOfVersion: server, audience, report } = app
        reportSharedAudience(bindings, { server, audience, report })
        return createSealer(objects, secret, undefined, onNewer)
      },
      keyring: (bindings) => {
        const objects = bindingOf<KeyringNamespace>(bindings, 'MCP_KEYRING')
        return objects && createKeyringControl(objects, app.audience)
      },
    },
  }
}
