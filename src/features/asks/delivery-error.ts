/** The error of a value that was not delivered. */
import type { Delivery } from '../../ports/tasks.ts'
import { OperationError } from '../../server/operation-error.ts'
import type { DeliveryErrorReason } from '../../server/task-control.ts'

export function deliveryError(key: string, delivery: Delivery): OperationError {
  const refuse = (reason: DeliveryErrorReason, text: string) => new OperationError(reason, text)
  switch (delivery.kind) {
    case 'unknown':
      return refuse('unknown-task', 'There is no such task, or it has expired')
    case 'over':
      return refuse('task-is-over', 'The call has ended and waits for nothing any more')
    case 'late':
      return refuse(
        'too-late',
        `"${key}" was not delivered in time, and is not waited for any more`,
      )
    case 'misfit':
      return refuse(
        'does-not-fit',
        `The value does not fit what "${key}" waits for:\n${delivery.detail}`,
      )
    case 'too-large':
      return refuse('too-large', `The value has more than ${delivery.limit} characters of JSON`)
    case 'full':
      return refuse('too-many-values', 'The call keeps too many values that it has not waited for')
    default:
      return refuse('delivered-before', `"${key}" has received its value already`)
  }
}
