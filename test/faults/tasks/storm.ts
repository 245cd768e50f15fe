/**
 * Many tasks of several principals at once, on a server that is killed and restarted. Every task ends,
 * each of its effects is counted once, and no principal receives anything of another task.
 */
import { Random } from '../../soak/random.ts'
import { delay } from '../sessions/delay.ts'
import { Limiter } from './limiter.ts'
import { StormTask } from './storm-task.ts'
import { WorkServer } from './work-server.ts'

export interface StormOptions {
  readonly seed: number
  readonly tasks: number
  readonly kills: number
  /** Receives a line of text from time to time. */
  readonly onProgress?: (line: string) => void
}

export interface StormReport {
  readonly seed: number
  readonly seconds: number
  readonly counts: Readonly<Record<string, number>>
  readonly violations: readonly string[]
}

const PRINCIPALS = 20
/** Requests under way at the same time. */
const CONCURRENCY = 24
/** A kill comes this long after the tasks that precede it, at most. */
const MAX_KILL_DELAY_MS = 1000
/** A storm in which no task ends for this long has failed. */
const STALL_MS = 180_000
const STALL_POLL_MS = 500

export async function runStorm({
  seed,
  tasks: size,
  kills,
  onProgress = () => undefined,
}: StormOptions): Promise<StormReport> {
  const startedAt = performance.now()
  const random = new Random(seed)
  const counts: Record<string, number> = {}
  const violations: string[] = []
  let dispose = async () => {}
  const server = await WorkServer.start((atEnd) => {
    dispose = atEnd
  })
  let created = 0
  let ended = 0
  let lastEnd = performance.now()
  const world = {
    server,
    limiter: new Limiter(CONCURRENCY),
    principals: PRINCIPALS,
    count: (what: string) => {
      counts[what] = (counts[what] ?? 0) + 1
    },
    violation: (text: string) => violations.push(text),
    onCreated: () => created++,
    onEnded: () => {
      ended++
      lastEnd = performance.now()
    },
    isOver: () => performance.now() - lastEnd > STALL_MS,
  }
  const tasks = Array.from(
    { length: size },
    (_, number) => new StormTask(number, random.fork(`task ${number}`), world),
  )

  /** The first kill comes while tasks are created, the others while they work. */
  const killOften = async () => {
    const chance = random.fork('kills')
    for (let kill = 0; kill < kills && !world.isOver(); kill++) {
      const isDue = () => (kill === 0 ? created >= size / 2 : ended >= (size * kill) / (kills + 2))
      while (!isDue() && !world.isOver()) await delay(5)
      await delay(chance.between(0, MAX_KILL_DELAY_MS))
      await server.restart()
      const seconds = Math.round((performance.now() - startedAt) / 1000)
      onProgress(`${seconds} s: kill ${kill + 1}, ${created} tasks created, ${ended} ended`)
    }
  }
  const stall = async () => {
    while (!world.isOver() && ended < size) await delay(STALL_POLL_MS)
    if (ended < size) violations.push(`${size - ended} tasks have not ended`)
  }

  try {
    const watched = tasks.filter(({ isWatched }) => isWatched)
    const others = tasks.filter(({ isWatched }) => !isWatched)
    const settled = Promise.all(watched.map((task) => task.run())).then(() => 'settled')
    // No client asks for these while the others work: alarms alone resume them.
    const ignored = Promise.all(others.map((task) => task.run(settled)))
    await Promise.race([Promise.all([killOften(), settled, ignored]), stall()])
    if (ended === size) {
      // What a client may still ask for survives one more kill.
      await server.restart()
      await Promise.all(tasks.map((task) => task.checkAgain()))
      await compareEffects(server, tasks, world.violation, world.count)
      await compareLists(server, tasks, world.violation)
    }
    counts.kills = server.kills
    if (server.log.includes('internal-error')) {
      violations.push(`The server reported an internal error:\n${server.log.slice(0, 2000)}`)
    }
  } finally {
    await dispose()
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return { seed, seconds, counts, violations }
}

/** Compares the counters of the server with the steps of the tasks. */
async function compareEffects(
  server: WorkServer,
  tasks: readonly StormTask[],
  violation: (text: string) => void,
  count: (what: string) => void,
): Promise<void> {
  const counters = new Map(Object.entries(await server.counters()))
  for (const { counter, least } of tasks.flatMap((task) => task.effects())) {
    const value = counters.get(counter) ?? 0
    counters.delete(counter)
    count('effects compared')
    if (value < least || value > 1)
      violation(`${counter} counts ${value}, at least ${least}, at most 1`)
  }
  for (const counter of counters.keys()) violation(`No task explains the counter ${counter}`)
}

/** Compares the owner's lists with the tasks that clients know. */
async function compareLists(
  server: WorkServer,
  tasks: readonly StormTask[],
  violation: (text: string) => void,
): Promise<void> {
  for (const principal of new Set(tasks.map((task) => task.principal))) {
    const own = tasks.filter((task) => task.principal === principal)
    const listed = new Set(await server.tasksOf(principal))
    for (const { id, name } of own) {
      if (id !== undefined && !listed.delete(id))
        violation(`${name} is not in the list of ${principal}`)
    }
    // A task whose creation a kill interrupted may be there too.
    const unknown = own.reduce((sum, { lostCreations }) => sum + lostCreations, 0)
    if (listed.size > unknown) violation(`${principal} has ${listed.size} tasks too many`)
  }
}
