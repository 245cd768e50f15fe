/** `objects()`: how an app calls its Durable Objects, and what they are. The features that bring a kind of them need it. */
import { createAppObjects } from '../../../durable-objects/app-objects.ts'
import { HostedObject } from '../../../durable-objects/hosted-object.ts'
import { PlaceObject } from '../../../durable-objects/place-object.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { perEnvironment } from '../../platform/per-object.ts'
import { JURISDICTIONS } from '../../ports/jurisdictions.ts'

export type Objects = Feature<'objects'>

/** An app without it calls no object, and its class serves nothing. */
export function objects(): Objects {
  return createFeature('objects', createParts)
}

function createParts(app: AppContext): FeatureParts {
  const { jurisdiction } = app.objectSettings
  if (jurisdiction !== undefined && !JURISDICTIONS.includes(jurisdiction)) {
    throw new TypeError(`jurisdiction must be one of ${JURISDICTIONS.join(', ')}`)
  }
  return {
    parts: { place: { create: (state, env) => new PlaceObject(state, env) } },
    objects: {
      objectsIn: perEnvironment((bindings) => {
        const { audience, report, objectSettings } = app
        return createAppObjects(bindings, { audience, report, ...objectSettings })
      }),
      base: HostedObject,
    },
  }
}
