/** Explores every world that sequences of events lead to, and checks the invariants in each. */
import { stepWorld } from './model-object.ts'
import {
  type Applier,
  countAnswers,
  createWorld,
  EVENTS,
  LIMITS,
  type World,
  type WorldEvent,
} from './world.ts'

/** What is wrong in a world, and the shortest sequence of events that leads to it. */
export interface Violation {
  readonly invariant: string
  readonly events: readonly string[]
}

export interface Exploration {
  readonly worlds: number
  /** Length of the longest sequence of events that reached a world for the first time. */
  readonly depth: number
  readonly violations: readonly Violation[]
}

interface Node {
  readonly world: World
  readonly event: string
  readonly parent: Node | undefined
}

/**
 * Breadth first, so that the first violation of each invariant has the shortest sequence. A world that
 * two sequences lead to is explored once: what follows is the same.
 *
 * @param until stops when this invariant is violated
 */
export function explore(applier: Applier, maxDepth: number, until?: string): Exploration {
  const seen = new Set<string>()
  const endings = new Map<string, string | undefined>()
  const violations = new Map<string, Violation>()
  let frontier: Node[] = []
  let depth = 0
  const visit = (node: Node, next: Node[]) => {
    const text = JSON.stringify(node.world)
    if (seen.has(text)) return
    seen.add(text)
    for (const invariant of violatedIn(node.world, applier, endings)) {
      if (!violations.has(invariant)) violations.set(invariant, { invariant, events: pathOf(node) })
    }
    next.push(node)
  }
  for (const isRepeatable of [true, false]) {
    visit(
      { world: createWorld(isRepeatable), event: `repeatable: ${isRepeatable}`, parent: undefined },
      frontier,
    )
  }
  while (frontier.length > 0 && depth < maxDepth && !violations.has(until ?? '')) {
    const next: Node[] = []
    for (const parent of frontier) {
      for (const event of EVENTS) {
        for (const [kills, world] of stepWorld(parent.world, event, applier).entries()) {
          visit({ world, event: kills === 0 ? event : `${event} (${kills})`, parent }, next)
        }
      }
    }
    frontier = next
    if (next.length > 0) depth++
  }
  return { worlds: seen.size, depth, violations: [...violations.values()] }
}

function pathOf(node: Node | undefined): string[] {
  return node === undefined ? [] : [...pathOf(node.parent), node.event]
}

function violatedIn(
  world: World,
  applier: Applier,
  endings: Map<string, string | undefined>,
): readonly string[] {
  const { storage, memory, client, acknowledged, steps, violations } = world
  const answers = countAnswers(world)
  const found = [...violations]
  if (answers > 1) found.push('two answers')
  if (client.hasCancelled && answers > 0) found.push('an answer follows a cancellation')
  if (Object.values(steps).some((count) => count > 1)) found.push('a step runs twice')
  const { row } = storage
  if (row !== null) {
    const isLost = (key: string) => row.journal[key] === undefined
    if (Object.keys(acknowledged).some(isLost)) found.push('an acknowledged response is lost')
    if (!isJson(row.state)) found.push('a state is not JSON')
    if (answers > 0 || client.hasCancelled) found.push('a run that is over keeps its row')
  }
  if (world.isTerminated && memory !== null) found.push('a handler outlives its session')
  if (memory !== null && memory.handler !== null && row !== null && row.state.name !== 'running') {
    found.push('a handler runs while its run waits')
  }
  if (askIdsOf(storage.log).some((id) => isForgotten(world, id))) found.push('an ask is forgotten')
  if (found.length > 0) return found
  const key = JSON.stringify([
    storage,
    memory,
    world.isRepeatable,
    world.hadRow,
    client.hasCancelled,
  ])
  if (!endings.has(key)) endings.set(key, endOf(world, applier))
  const ending = endings.get(key)
  return ending === undefined ? [] : [ending]
}

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return value !== undefined
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
  return isPlain && Object.values(value).every(isJson)
}

function askIdsOf(log: readonly string[]): string[] {
  return log.flatMap((text) => (text.startsWith('ask ') ? [text.slice(4)] : []))
}

/** An ask that the client has, and that is neither open nor responded to nor withdrawn. */
function isForgotten({ storage, client }: World, id: string): boolean {
  const isOpen = storage.row?.asks.some((ask) => ask.id === id) === true
  return !isOpen && !client.responded.includes(id) && !storage.log.includes(`withdrawn ${id}`)
}

/** A run must end without its client: by alarms, deadlines and the timeout of its handler alone. */
function endOf(start: World, applier: Applier): string | undefined {
  if (!start.hasStarted || start.isTerminated) return undefined
  const patient = endAlone(start, applier, ['settle', 'time out', 'alarm', 'caller renewed'])
  if (patient !== undefined) return patient
  // The same with a kill after every alarm: a run that kills its object must end too.
  return endAlone(start, applier, ['kill', 'time out', 'alarm', 'caller renewed'])
}

function endAlone(
  start: World,
  applier: Applier,
  events: readonly WorldEvent[],
): string | undefined {
  let world = start
  for (let round = 0; round <= LIMITS.interruptions + 2; round++) {
    for (const event of events) world = stepWorld(world, event, applier).at(-1) ?? world
  }
  if (world.storage.row !== null || world.memory !== null) return 'a run does not end'
  const mustAnswer = world.hadRow && !world.client.hasCancelled
  return mustAnswer && countAnswers(world) !== 1 ? 'a run ends without its answer' : undefined
}
