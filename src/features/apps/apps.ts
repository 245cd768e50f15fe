/** `apps()`: declares the extension of tools with a user interface. */
import { createFeature } from '../../feature/create-feature.ts'
import type { Feature, FeatureParts } from '../../feature/feature.ts'
import { APPS_EXTENSION, RESOURCE_URI_META, UI_META } from '../../protocol/apps.ts'
import { isJsonObject } from '../../protocol/json.ts'
import type { Definition } from '../../server/definition.ts'
import { checkAddress } from './define-view.ts'

export type Apps = Feature<'apps'>

export function apps(): Apps {
  return createFeature('apps', createParts)
}

function createParts(): FeatureParts {
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

/**
 * Checks that every view of a tool exists, also one that the author's `_meta` names.
 *
 * @throws {TypeError} that names the tool and the address
 */
function checkViews({ tools, resources, templates, handlers }: Definition): void {
  // The author answers every address.
  if (handlers.has('resources/read')) return
  for (const { info } of tools.values()) {
    const ui = info._meta?.[UI_META]
    const uri = (isJsonObject(ui) ? ui.resourceUri : undefined) ?? info._meta?.[RESOURCE_URI_META]
    if (uri === undefined) continue
    const subject = `Tool "${info.name}"`
    checkAddress(subject, uri)
    const isAnswered =
      resources.has(uri as string) ||
      templates.some(({ template }) => template.match(uri as string) !== undefined)
    if (!isAnswered) throw new TypeError(`${subject}: no resource answers ui.uri ${uri}`)
  }
}
