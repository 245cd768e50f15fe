/** `edgeway/tasks`: the feature, its options and its types. */

export type { TaskStatus } from '../../protocol/tasks.ts'
export type {
  ExternalJobOptions,
  JobCallContext,
  JobContext,
  JobHandler,
  JobPolling,
  JobSettings,
  JobStartContext,
  JobStatus,
} from '../../server/job.ts'
export type {
  DeliveryErrorReason,
  TaskControl,
  TaskInfo,
  TaskPage,
} from '../../server/task-control.ts'
export type { TaskOptions, TaskSupport } from '../../server/tool.ts'
export { externalJob } from './jobs/external-job.ts'
export {
  type WorkflowBinding,
  type WorkflowHandle,
  type WorkflowJobOptions,
  workflowJob,
} from './jobs/workflow-job.ts'
export { type Tasks, type TasksApi, type TasksOptions, tasks } from './tasks.ts'
