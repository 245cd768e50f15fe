/** Icons of servers of the SDK, which passes any text. Bundlers make a relative path of an imported image. */

import type { Icon } from '../../../src/protocol/content.ts'
import { excerpt } from '../../../src/protocol/protocol-error.ts'
import { isIconSource } from '../../../src/server/define/checks.ts'
import type { DefinitionWarning } from '../../../src/server/definition.ts'

/**
 * Returns the icons that clients can load, and undefined for none.
 *
 * @param warn receives each of the others
 */
export function loadableIcons(
  subject: string,
  icons: readonly Icon[] | undefined,
  warn: (warning: DefinitionWarning) => void,
): readonly Icon[] | undefined {
  // Anything else than a list of icons is refused where it is defined.
  if (!Array.isArray(icons)) return icons
  const loadable = (icons as readonly Icon[]).filter((icon) => {
    if (typeof icon?.src !== 'string' || isIconSource(icon.src)) return true
    const message = `its icon "${excerpt(icon.src)}" is dropped: a client loads https:, http: and data: URIs alone`
    warn({ subject, message })
    return false
  })
  return loadable.length === 0 && icons.length > 0 ? undefined : loadable
}
