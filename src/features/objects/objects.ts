/** `objects()`: how an app calls its Durable Objects, and what they are. The features that bring a kind of them need it. */
import { createAppObjects } from '../../../durable-objects/app-objects.ts'
import { openPart } from '../../../durable-objects/open-part.ts'
import { PlaceObject } from '../../../durable-objects/place-object.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { Feature } from '../../feature/feature.ts'

export type Objects = Feature<'objects'>

/** An app without it calls no object, and its class serves nothing. */
export function objects(): Objects {
  return createFeature('objects', () => ({
    parts: { place: { create: (state, env) => new PlaceObject(state, env) } },
    objects: { createAppObjects, openPart },
  }))
}
