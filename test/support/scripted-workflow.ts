/** A Workflow binding whose instances do what a test says. */
import type { WorkflowBinding, WorkflowHandle } from '../../src/features/tasks/index.ts'

type Status = Awaited<ReturnType<WorkflowHandle['status']>>

export class ScriptedInstance {
  readonly name = crypto.randomUUID()
  /** The ids under which the instance was created. */
  readonly ids: string[] = []
  /** How often its status was asked for. */
  looks = 0
  terminations = 0
  status: Status = { status: 'running' }
  onCreate: () => void | Promise<void> = () => undefined
  onStatus: () => void | Promise<void> = () => undefined

  constructor() {
    instances.set(this.name, this)
  }
}

const ENDED = ['complete', 'errored', 'terminated']

const instances = new Map<string, ScriptedInstance>()

function instanceOf(id: string): ScriptedInstance {
  for (const instance of instances.values()) if (instance.ids.includes(id)) return instance
  throw new Error(`instance.not_found ${id}`)
}

export const scriptedWorkflow: WorkflowBinding = {
  createBatch: async (batch) => {
    for (const { id = '', params } of batch) {
      const instance = instances.get((params as { readonly of: string }).of)
      instance?.ids.push(id)
      await instance?.onCreate()
    }
  },
  get: async (id) => {
    const instance = instanceOf(id)
    return {
      status: async () => {
        instance.looks++
        await instance.onStatus()
        return instance.status
      },
      terminate: async () => {
        if (ENDED.includes(instance.status.status)) throw new Error('Cannot terminate instance')
        instance.terminations++
      },
      sendEvent: async () => undefined,
    }
  },
}
