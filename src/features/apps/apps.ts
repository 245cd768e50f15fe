/** `apps()`: declares the extension of tools with a user interface. */
import { createFeature } from '../../feature/create-feature.ts'
import type { Feature, FeatureParts } from '../../feature/feature.ts'
import { APPS_EXTENSION, UI_META } from '../../protocol/apps.ts'
import { checkViews } from './check-views.ts'

export type Apps = Feature<'apps', never, object>

export function apps(): Apps {
  return createFeature('apps', createParts)
}

function createParts(): FeatureParts<never> {
  return {
    checkDefinition: checkViews,
    dispatch: {
      capabilities: ({ tools }) =>
        [...tools.values()].some(({ info }) => info._meta?.[UI_META] !== undefined)
          ? { extensions: { [APPS_EXTENSION]: {} } }
          : {},
    },
  }
}
