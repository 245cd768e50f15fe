/** `ctx.emit`: a step of the handler where the app has steps, so that a handler which runs again emits once. */
import type { Emit, EmitOptions, EventType, HandlerRun } from '../../../src/internal.ts'
import { sha256Base64Url } from '../../../src/platform/digest.ts'
import { fingerprint } from '../../../src/platform/fnv.ts'
import { type EmitContext, emitTo } from './emit.ts'

export function createContextEmit(run: HandlerRun, context: () => EmitContext): Emit {
  const places = new Map<string, number>()
  return (event: EventType | string, data: unknown, options?: EmitOptions) => {
    const emit = (stepId?: string) =>
      emitTo(
        context(),
        event,
        data,
        options,
        // The same when the step is repeated after an interruption.
        stepId === undefined ? undefined : async () => `evt_${await sha256Base64Url(stepId)}`,
      )
    const { step } = run.call.deployment.extensions.context
    if (step === undefined) return emit()
    const name = fingerprint(String(typeof event === 'string' ? event : event?.name))
    const place = (places.get(name) ?? 0) + 1
    places.set(name, place)
    return step(run)(`emit-${name}-${place}`, { idempotent: true }, ({ stepId }) => emit(stepId))
  }
}
