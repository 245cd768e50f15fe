/**
 * Counts what the platform bills for a task: requests, rows, and the storage that it leaves. The tasks of
 * one use are those of one principal.
 */
import type { Lane } from '../lanes/lane.ts'
import { TaskClient } from '../load/task-client.ts'
import { bundleOf } from './bundle.ts'
import { readStorage } from './storage.ts'
import { Workerd } from './workerd.ts'

export const COUNTED_TASKS = 100

/** Per task. */
export interface TaskCounts {
  readonly lane: Lane
  readonly use: string
  readonly workerRequests: number
  readonly objectRequests: number
  readonly alarms: number
  readonly rowsRead: number
  readonly rowsWritten: number
}

export interface TaskCountsReport {
  readonly counts: readonly TaskCounts[]
  /** On disk per task that is over, in bytes. */
  readonly storedBytes: number
}

type Counted = Pick<TaskCounts, 'objectRequests' | 'alarms' | 'rowsRead' | 'rowsWritten'>

interface Use {
  readonly use: string
  readonly tool: string
  readonly args?: object
  /** What a task that was created is used for. */
  readonly kind: 'finish' | 'deliver and finish' | 'get'
}

/** The client asks for the state once, when the task is over: more requests are its own choice. */
const USES: readonly Use[] = [
  { use: 'create and finish, 1 step', tool: 'work', kind: 'finish' },
  { use: 'create and finish, 10 steps', tool: 'work', args: { steps: 10 }, kind: 'finish' },
  { use: 'create and finish, 1 step, 1 sleep', tool: 'work', args: { sleeps: 1 }, kind: 'finish' },
  { use: 'create and finish, 1 event', tool: 'wait', kind: 'deliver and finish' },
  { use: '`tasks/get` of a waiting task', tool: 'wait', kind: 'get' },
]

/** Time in which all tasks end, or wait, and the alarm fires that would have found an interrupted one. */
const SETTLE_MS = 12_000

/** Undefined when no lane counts its tasks. */
export async function measureTaskCounts(
  lanes: readonly Lane[],
  progress: (text: string) => void,
): Promise<TaskCountsReport | undefined> {
  const lane = lanes.find(({ supports }) => supports.includes('task-counts'))
  if (lane === undefined) return undefined
  const bindings = lane.bindings?.['counted-task']
  const server = await Workerd.spawn(await bundleOf(lane, 'counted-task'), bindings)
  try {
    await server.ready()
    // The first task creates the keys.
    await new TaskClient(server.url, 'first').create('work', {})
    await settle()
    const counts: TaskCounts[] = []
    for (const use of USES) {
      progress(`${COUNTED_TASKS} tasks: ${use.use}`)
      counts.push({ lane, ...(await countUse(server.url, use)) })
    }
    const { bytes, objects } = readStorage(await server.end(), 'McpObjects', 'task')
    return { counts, storedBytes: Math.round(bytes / objects) }
  } finally {
    await server.stop()
  }
}

async function countUse(
  url: string,
  { use, tool, args = {}, kind }: Use,
): Promise<Omit<TaskCounts, 'lane'>> {
  const client = new TaskClient(url, use)
  await takeCounts(url)
  const ids: string[] = []
  for (let task = 0; task < COUNTED_TASKS; task++) ids.push(await client.create(tool, args))
  if (kind === 'deliver and finish') for (const taskId of ids) await client.deliver(taskId)
  await settle()
  if (kind === 'get') await takeCounts(url)
  const expected = kind === 'get' ? 'working' : 'completed'
  for (const taskId of ids) {
    const status = await client.statusOf(taskId)
    if (status !== expected) throw new Error(`A task of ${tool} is ${status}, not ${expected}`)
  }
  const { objectRequests, alarms, rowsRead, rowsWritten } = await takeCounts(url)
  return {
    use,
    workerRequests: { get: 1, finish: 2, 'deliver and finish': 3 }[kind],
    objectRequests: objectRequests / COUNTED_TASKS,
    alarms: alarms / COUNTED_TASKS,
    rowsRead: rowsRead / COUNTED_TASKS,
    rowsWritten: rowsWritten / COUNTED_TASKS,
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
}

async function takeCounts(url: string): Promise<Counted> {
  return (await (await fetch(new URL('/counts', url))).json()) as Counted
}
