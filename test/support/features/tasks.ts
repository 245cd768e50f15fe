/** `tasks()` with the binding of a test. */
import { tasks } from '../../../src/features/tasks/index.ts'

export interface TaskSettings {
  readonly taskBinding?: string
}

export const tasksOf = ({ taskBinding }: TaskSettings) =>
  tasks(taskBinding === undefined ? {} : { binding: taskBinding })
