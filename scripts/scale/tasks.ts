/** Tasks that have run their steps and wait for an event. */
import { type Estimate, type HotSpot, MONTH_S } from './estimate.ts'
import { count } from './figures.ts'
import { BYTES_PER_OBJECT, REQUESTS_PER_OBJECT_SECOND } from './limits.ts'
import { type Measured, operation, storedBytes } from './measured.ts'
import type { Parameters } from './parameters.ts'
import { difference, NOTHING, sum, times, type Usage } from './usage.ts'

const HOUR_S = 3600

/** Objects of the kind `principals`, which list the tasks of each subject. */
const INDEX_SHARDS = 16

/** Requests to the index for each task: it is entered and left. */
const INDEX_REQUESTS = 2

/** The alarm that deletes a task, and the request that removes it from the list: read in the code, not counted. */
const DELETION: Usage = { ...NOTHING, objectRequests: 2, alarms: 1, rowsWritten: 1 }

export function taskEstimates(measured: Measured, parameters: Parameters): readonly Estimate[] {
  const { tasks } = parameters
  const created = createdPerSecond(parameters) * MONTH_S
  return [
    {
      design: 'Edgeway, durable tasks',
      objects: created,
      usage: sum(times(created, taskUsage(measured, parameters)), {
        ...NOTHING,
        storedBytes: storedTasks(parameters) * storedBytes(measured, 'edgeway', 'task'),
      }),
    },
    {
      design: 'A handler that waits in the memory of an object (`McpAgent`, tasks of SDK 1.x)',
      objects: tasks,
      usage: { ...NOTHING, activeSeconds: tasks * MONTH_S },
    },
  ]
}

/** Of one task, from its creation to its deletion. */
export function taskUsage(measured: Measured, parameters: Parameters): Usage {
  const of = (name: string, scenario = name) => operation(measured, 'edgeway', name, scenario)
  const nineSteps = difference(of('task-10-steps'), of('task-1-step'))
  return sum(
    of('task-event', 'task'),
    times(parameters['task-steps'] / 9, nineSteps),
    times(parameters['task-polls'], of('task-get')),
    DELETION,
  )
}

/** As many as end, so that the number of tasks that wait stays the same. */
export function createdPerSecond(parameters: Parameters): number {
  return parameters.tasks / (parameters['task-wait-hours'] * HOUR_S)
}

/** Tasks with rows at any time: those that wait, and those whose results are kept. */
function storedTasks(parameters: Parameters): number {
  const hours = parameters['task-wait-hours'] + parameters['task-kept-hours']
  return createdPerSecond(parameters) * hours * HOUR_S
}

export function taskHotSpots(measured: Measured, parameters: Parameters): readonly HotSpot[] {
  const perShard = (createdPerSecond(parameters) * INDEX_REQUESTS) / INDEX_SHARDS
  const most = (INDEX_SHARDS * REQUESTS_PER_OBJECT_SECOND) / INDEX_REQUESTS
  return [
    {
      object: 'the object of one task',
      load: 'its own steps, answers and polls',
      limit: `${count(REQUESTS_PER_OBJECT_SECOND)} requests/s`,
      answer: 'one object for each task',
    },
    {
      object: 'the storage of one task',
      load: `${count(storedBytes(measured, 'edgeway', 'task'))} bytes`,
      limit: `${count(BYTES_PER_OBJECT)} bytes`,
      answer: 'limits of the journal and of results are far below',
    },
    {
      object: 'a shard of the list of tasks',
      load: `${count(perShard)} requests/s`,
      limit: `${count(REQUESTS_PER_OBJECT_SECOND)} requests/s`,
      answer: `${INDEX_SHARDS} shards list ${count(most)} new tasks/s; their number is fixed`,
    },
  ]
}
