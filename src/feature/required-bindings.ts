/** The bindings without which a feature of the author does not work. */
import type { TelemetrySink } from '../ports/telemetry.ts'

/** What a configuration has to bind. */
export interface RequiredBinding {
  readonly feature: string
  readonly binding: string
  /** The name of its class. */
  readonly className: string
}

/** Warns of the bindings that an environment lacks. No earlier moment knows the environment. */
export function reportMissingBindings(
  required: readonly RequiredBinding[],
  bindings: Readonly<Record<string, unknown>>,
  report: TelemetrySink,
): void {
  for (const { feature, binding, className } of required) {
    if (bindings[binding] !== undefined) continue
    const message = `the binding ${binding} is missing, so its calls fail. Add it with the class ${className} to the configuration of the Worker`
    report({ type: 'definition-warning', subject: `features: [${feature}]`, message })
  }
}
