/** The whole of a run: who serves what, checked, warmed, and measured in interleaved rounds. */
import { LANES, type Lane } from '../lanes/lanes.ts'
import { type Dialogue, oneRequest, twoRounds } from '../load/dialogue.ts'
import { type Bundle, bundle } from './bundle.ts'
import { measureRound, type Round } from './round.ts'
import { type Bindings, Workerd } from './workerd.ts'
import { checkAnswer, WORKS, type Work } from './works.ts'

export interface Series {
  readonly lane: Lane
  readonly work: Work
  readonly rounds: Round[]
}

interface Contestant extends Series {
  readonly server: Workerd
  readonly dialogue: Dialogue
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
    for (const { server, dialogue, lane, work } of this.#contestants) {
      progress(`warming ${lane.name}: ${work.name}`)
      await measureRound(server, dialogue, WARM_UP_MS)
    }
    for (let round = 1; this.#contestants.length > 0 && round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`)
      for (const contestant of this.#contestants) {
        const { server, dialogue } = contestant
        contestant.rounds.push(await measureRound(server, dialogue, milliseconds))
      }
    }
    return this.#contestants as readonly Series[]
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()))
  }

  async #enter(lane: Lane, works: readonly Work[]): Promise<void> {
    const spoken = works.filter(({ name }) => lane.works.includes(name))
    for (const definition of new Set(spoken.map((work) => work.definition))) {
      const bindings =
        lane.folder === 'same-bytes'
          ? { texts: { TOOLS_LIST: await listOfEdgeway() } }
          : lane.bindings?.[definition]
      const server = await this.#serve(await bundleOf(lane, definition), bindings)
      for (const work of spoken.filter((each) => each.definition === definition)) {
        await checkAnswer(work, lane, server.url)
        const dialogue = dialogueOf(work, lane, server.port)
        this.#contestants.push({ lane, work, server, dialogue, rounds: [] })
      }
    }
  }

  async #serve(bundled: Bundle, bindings?: Bindings): Promise<Workerd> {
    const server = await Workerd.spawn(bundled, bindings)
    this.#servers.push(server)
    await server.ready()
    return server
  }
}

function dialogueOf({ request, retry }: Work, lane: Lane, port: number): Dialogue {
  if (retry === undefined) return oneRequest(request(lane), port)
  return twoRounds(request(lane), retry, port)
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
async function listOfEdgeway(): Promise<string> {
  const lane = LANES.find(({ folder }) => folder === 'edgeway')
  const work = WORKS.find(({ name }) => name === 'list')
  if (lane === undefined || work === undefined) throw new Error('No edgeway lane')
  const server = await Workerd.spawn(await bundleOf(lane, work.definition))
  try {
    await server.ready()
    return await checkAnswer(work, lane, server.url)
  } finally {
    await server.stop()
  }
}
