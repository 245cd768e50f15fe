/** Tools that are going to be removed: the checks of their announcement, and how the list shows it. */
import { nearestNames } from '../../platform/likeness.ts'
import { DEPRECATED_META, deprecationText } from '../../protocol/deprecation.ts'
import type { Definition, ToolDefinition } from '../definition.ts'
import type { ToolSettings } from '../tool.ts'

type Tools = Definition['tools']

/** @throws {TypeError} that names the tool and the form */
export function defineDeprecated(
  subject: string,
  deprecated: ToolSettings['deprecated'],
): ToolDefinition['deprecated'] {
  if (deprecated === undefined) return undefined
  const { use, until, listed = true } = deprecated ?? {}
  const isDay = new Date(until).toJSON()?.slice(0, 10) === `${until}`
  if (typeof use !== 'string' || !isDay || typeof listed !== 'boolean') {
    throw new TypeError(`${subject}: deprecated needs { use: 'another_tool', until: 'YYYY-MM-DD' }`)
  }
  return { use, until, listed }
}

/**
 * Puts deprecated tools behind all others, and names their replacement in what is listed.
 *
 * @throws {TypeError} for a replacement that does not exist, or is deprecated itself
 */
export function announceDeprecated(tools: Tools): Tools {
  const all = [...tools.values()]
  const current = all.filter(({ deprecated }) => !deprecated)
  const old = all.flatMap((tool) => {
    const { info, deprecated } = tool
    if (!deprecated) return []
    const { use, until } = deprecated
    const names = current.map(({ info: { name } }) => name)
    if (!names.includes(use)) {
      const [nearest] = nearestNames(names, use, 1)
      throw new TypeError(
        `Tool "${info.name}": deprecated.use "${use}" is no tool, or deprecated too.${nearest ? ` The nearest is "${nearest}"` : ''}`,
      )
    }
    const description = [deprecationText(deprecated), info.description].join(' ').trim()
    const _meta = { ...info._meta, [DEPRECATED_META]: { use, until } }
    return { ...tool, info: { ...info, description, _meta } }
  })
  return new Map([...current, ...old].map((tool) => [tool.info.name, tool]))
}
