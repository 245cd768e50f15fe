/** Which clients each checked fault affects, as the module that a verdict of the timeline reads. */
import type { Clients, Fault } from '../../src/faults/fault.ts'
import { FAULTS } from '../../src/faults/faults.ts'
import { CHECKED_CODES } from '../../src/features/timeline/verdict/checks.ts'

export const AFFECTED_CLIENTS_MODULE = 'src/features/timeline/verdict/affected-clients.ts'

const FAULTS_ROOM = '../../../faults'

const HEAD = `/**
 * Which clients a checked fault affects: those that do not break all clients. \`npm run faults\` generates this
 * file from the catalogue (\`src/faults\`), so that a Worker needs no text of the catalogue for a verdict.
 */
// biome-ignore-all format: one line for each fault
import type { Clients } from '${FAULTS_ROOM}/fault.ts'
import type { CheckedCode } from './checks.ts'

export interface AffectedClients {
  /** The fault breaks these clients, or makes a part of the server unusable for them. */
  readonly errors?: Clients
  /** The fault degrades these clients. */
  readonly warnings?: Clients
}

export const BREAKS_ALL: AffectedClients = { errors: 'all' }

export const AFFECTED_CLIENTS: Readonly<Partial<Record<CheckedCode, AffectedClients>>> = {
`

export function affectedClientsModule(): string {
  const rows = CHECKED_CODES.flatMap((code) => {
    const columns = columnsOf(FAULTS[code])
    return columns === "errors: 'all'" ? [] : `  '${code}': { ${columns} },\n`
  })
  return `${HEAD}${rows.join('')}}\n`
}

function columnsOf({ breaks, loses, degrades }: Fault): string {
  const columns = [
    ['errors', breaks === 'all' || loses === 'all' ? 'all' : listOf(breaks, loses)],
    ['warnings', degrades === 'all' ? 'all' : listOf(degrades)],
  ] as const
  return columns
    .filter(([, clients]) => clients.length > 0)
    .map(([name, clients]) => `${name}: ${literalOf(clients)}`)
    .join(', ')
}

const listOf = (...columns: readonly (Clients | undefined)[]) =>
  columns.flatMap((clients) => (clients === undefined || clients === 'all' ? [] : clients))

const literalOf = (clients: Clients) =>
  clients === 'all' ? "'all'" : `[${clients.map((name) => `'${name}'`).join(', ')}]`
