/** The whole of a run: who serves what, checked, warmed, and measured in interleaved rounds. */
import type { Lane, WorkName } from '../lanes/lane.ts'
import { LANES } from '../lanes/lanes.ts'
import { type Dialogue, oneRequest, refreshChain, twoRounds } from '../load/dialogue.ts'
import { CONNECTIONS } from '../load/replay.ts'
import { admit } from './admission.ts'
import { type Bundle, bundle } from './bundle.ts'
import { checkAnswer } from './check.ts'
import { measureRound, type Round } from './round.ts'
import { type Bindings, Workerd } from './workerd.ts'
import { WORKS, type Work } from './works.ts'

export interface Series {
  readonly lane: Lane
  readonly work: Work
  readonly rounds: Round[]
}

interface Contestant extends Series {
  readonly server: Workerd
  /** Of a work whose tokens outlast its turns. */
  kept?: readonly Dialogue[]
}

/** Before anything counts: enough for V8 to have compiled what is hot. */
const WARM_UP_MS = 1_500

/** The servers of a run, by lane and definition. */
export class Contest {
  readonly #contestants: Contestant[] = []
  readonly #servers: Workerd[] = []

  /** Starts what the chosen works need. @throws {Error} for a server that answers wrongly */
  static async prepare(works: readonly Work[], lanes: readonly Lane[]): Promise<Contest> {
    const contest = new Contest()
    try {
      for (const lane of lanes) await contest.#enter(lane, works)
    } catch (error) {
      await contest.stop()
      throw error
    }
    contest.#contestants.sort((a, b) => WORKS.indexOf(a.work) - WORKS.indexOf(b.work))
    return contest
  }

  /** Rounds in which every contestant has its turn, one server under load at a time. */
  async run(rounds: number, milliseconds: number, progress: (text: string) => void) {
    for (const contestant of this.#contestants) {
      progress(`warming ${contestant.lane.name}: ${contestant.work.name}`)
      await takeTurn(contestant, WARM_UP_MS)
    }
    for (let round = 1; this.#contestants.length > 0 && round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`)
      for (const contestant of this.#contestants) {
        contestant.rounds.push(await takeTurn(contestant, milliseconds))
      }
    }
    return this.#contestants as readonly Series[]
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()))
  }

  async #enter(lane: Lane, works: readonly Work[]): Promise<void> {
    const spoken = works.filter(({ name }) => lane.works.includes(name))
    const servers = new Map<string, Workerd>()
    for (const work of spoken) {
      const key = work.needsOwnServer ? work.name : work.definition
      const server = servers.get(key) ?? (await this.#serve(lane, work))
      servers.set(key, server)
      await checkAnswer(work, lane, server.url)
      this.#contestants.push({ lane, work, server, rounds: [] })
    }
  }

  async #serve(lane: Lane, { name, definition }: Work): Promise<Workerd> {
    const bindings = lane.bindings?.[definition]
    const server = await Workerd.spawn(
      await bundleOf(lane, definition),
      lane.folder === 'same-bytes' ? await withListOfEdgeway(bindings, name) : bindings,
    )
    this.#servers.push(server)
    await server.ready()
    return server
  }
}

async function takeTurn(contestant: Contestant, milliseconds: number): Promise<Round> {
  // Where sessions are kept in memory, they are gone after the turns of all the others.
  const dialogues = contestant.kept ?? (await openDialogues(contestant))
  if (contestant.work.needsTokens) contestant.kept = dialogues
  return measureRound(contestant.server, dialogues, milliseconds)
}

function openDialogues(contestant: Contestant): Promise<readonly Dialogue[]> {
  return Promise.all(Array.from({ length: CONNECTIONS }, () => dialogueOf(contestant)))
}

async function dialogueOf({ work, lane, server }: Contestant): Promise<Dialogue> {
  const admission = await admit(work, lane, server.url)
  const request = work.request(lane, admission)
  const { next } = work
  if (next !== undefined) {
    return refreshChain(request, (token) => next(admission.clientId, token), server.port)
  }
  if (work.retry === undefined) return oneRequest(request, server.port)
  return twoRounds(request, work.retry, server.port)
}

const bundles = new Map<string, Promise<Bundle>>()

/** Bundled once in a run. */
export function bundleOf({ folder, compatibilityFlags }: Lane, entry: string): Promise<Bundle> {
  const key = `${folder}/${entry}`
  const known = bundles.get(key) ?? bundle(folder, entry, compatibilityFlags)
  bundles.set(key, known)
  return known
}

/** What the route of constant bytes has to return. */
async function withListOfEdgeway(
  bindings: Bindings | undefined,
  list: WorkName,
): Promise<Bindings> {
  const lane = LANES.find(({ folder }) => folder === 'edgeway')
  const work = WORKS.find(({ name }) => name === list)
  if (lane === undefined || work === undefined) throw new Error('No edgeway lane')
  const server = await Workerd.spawn(
    await bundleOf(lane, work.definition),
    lane.bindings?.[work.definition],
  )
  try {
    await server.ready()
    return { ...bindings, texts: { TOOLS_LIST: await checkAnswer(work, lane, server.url) } }
  } finally {
    await server.stop()
  }
}
