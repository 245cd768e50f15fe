/** The whole of a run: who serves what, checked, warmed, and measured in interleaved rounds. */
import { LANES, type Lane } from '../lanes/lanes.ts'
import { requestBytes } from '../load/request.ts'
import { type Bundle, bundle } from './bundle.ts'
import { measureRound, type Round } from './round.ts'
import { type Texts, Workerd } from './workerd.ts'
import { checkAnswer, WORKS, type Work } from './works.ts'

export interface Series {
  readonly lane: Lane
  readonly work: Work
  readonly rounds: Round[]
}

interface Contestant extends Series {
  readonly server: Workerd
  readonly request: Buffer
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
    for (const { server, request, lane, work } of this.#contestants) {
      progress(`warming ${lane.name}: ${work.name}`)
      await measureRound(server, request, WARM_UP_MS)
    }
    for (let round = 1; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`)
      for (const contestant of this.#contestants) {
        const { server, request } = contestant
        contestant.rounds.push(await measureRound(server, request, milliseconds))
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
      const texts: Texts = lane.folder === 'same-bytes' ? { TOOLS_LIST: await listOfEdgeway() } : {}
      const server = await this.#serve(await bundleOf(lane, definition), texts)
      for (const work of spoken.filter((each) => each.definition === definition)) {
        await checkAnswer(work, lane, server.url)
        const request = requestBytes(work.request(lane), server.port)
        this.#contestants.push({ lane, work, server, request, rounds: [] })
      }
    }
  }

  async #serve(bundled: Bundle, texts: Texts): Promise<Workerd> {
    const server = await Workerd.spawn(bundled, texts)
    this.#servers.push(server)
    await server.ready()
    return server
  }
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
