/** What a client calls itself, as the inspector shows it. */
import type { Implementation } from '../../protocol/content.ts'
import { printable } from '../timeline/safe-text.ts'
import type { OpenedEntry } from './traffic-entry.ts'

export function clientOf(info: Implementation | undefined): OpenedEntry['client'] {
  return info === undefined
    ? null
    : { name: printable(info.name), version: printable(info.version) }
}
