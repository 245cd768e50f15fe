/** The shape of an entry of the catalogue of faults (`faults.ts`). */
import type { ClientName } from '../../client/src/names.ts'

export type Clients = 'all' | readonly ClientName[]

/** A defect of an MCP server or of its authorization server that clients are known to stumble over. */
export interface Fault {
  /** What is wrong, in one sentence. */
  readonly meaning: string
  /** The specification or RFC and its section, or the known behaviour of a client. */
  readonly clause: string
  /** Where the clause can be read. */
  readonly source: string
  /** What the owner of the server does about it. */
  readonly fix: string
  /** These clients do not connect, or do not get to the first call. */
  readonly breaks?: Clients
  /** These clients connect, and a part of the server is unusable. */
  readonly loses?: Clients
  /** These clients work, and worse than they could. */
  readonly degrades?: Clients
}

export type Effect = 'breaks' | 'loses' | 'degrades'

const EFFECTS: readonly Effect[] = ['breaks', 'loses', 'degrades']

/** The faults of a group of the catalogue: an entry without an effect has that of its group on all clients. */
export function faultGroup<Code extends string>(
  groupEffect: Effect,
  entries: Readonly<Record<Code, Fault>>,
): Readonly<Record<Code, Fault>> {
  const faults: Record<Code, Fault> = { ...entries }
  for (const code in faults) {
    if (EFFECTS.every((effect) => !(effect in faults[code])))
      faults[code] = { ...faults[code], [groupEffect]: 'all' }
  }
  return faults
}

/** What a fault does to a client; undefined when the client is not known to stumble over it. */
export function effectOn(fault: Fault, client: ClientName): Effect | undefined {
  return EFFECTS.find((effect) => {
    const clients = fault[effect]
    return clients === 'all' || clients?.includes(client)
  })
}
