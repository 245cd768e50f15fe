/** Which clients each checked fault affects, as the module that a verdict of the timeline reads. */
import type { Clients } from '../../packages/faults/src/fault.ts'
import { FAULTS } from '../../packages/faults/src/faults.ts'
import { KNOWN_CLIENTS } from '../../packages/inspector/src/timeline/clients.ts'
import { CHECKED_CODES } from '../../packages/inspector/src/timeline/verdict/checks.ts'

export const AFFECTED_CLIENTS_MODULE = 'packages/inspector/src/timeline/verdict/affected-clients.ts'

const FAULTS_ROOM = '../../../../faults/src'

const HEAD = `/**
 * Which of the clients that the timeline recognises a checked fault affects: those that do not break all clients.
 * \`npm run faults\` generates this file from the catalogue (\`packages/faults/src\`), so that a Worker needs no text of the
 * catalogue for a verdict.
 */
// biome-ignore-all format: one line for each fault
import type { Clients } from '${FAULTS_ROOM}/fault.ts'
import type { CheckedCode } from './checks.ts'

/** The fault breaks the first clients, or makes a part of the server unusable for them, and degrades the second. */
export type AffectedClients = readonly [errors: Clients, warnings?: Clients]

export const AFFECTED_CLIENTS: Readonly<Partial<Record<CheckedCode, AffectedClients>>> = {
`

export function affectedClientsModule(): string {
  const rows = CHECKED_CODES.flatMap((code) => {
    const { breaks, loses, degrades } = FAULTS[code]
    if (breaks === 'all' || loses === 'all') return []
    const columns = [listOf(breaks, loses), ...(degrades ? [listOf(degrades)] : [])]
    return `  '${code}': [${columns.join(', ')}],\n`
  })
  return `${HEAD}${rows.join('')}}\n`
}

const RECOGNISED = new Set(KNOWN_CLIENTS.map(({ name }) => name))

function listOf(...columns: readonly (Clients | undefined)[]): string {
  if (columns.includes('all')) return "'all'"
  const names = columns.flatMap((clients) => (clients === 'all' ? [] : (clients ?? [])))
  const recognised = names.filter((name) => RECOGNISED.has(name))
  return `[${recognised.map((name) => `'${name}'`).join(', ')}]`
}
