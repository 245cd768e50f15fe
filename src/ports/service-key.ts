/** The key of a service that a feature brings for its own package: the core does not know its port. */

export class ServiceKey<Port extends object> {
  /** As a span of a recorded call names it. */
  readonly kind: string

  constructor(kind: string) {
    this.kind = kind
  }

  /** @param create returns undefined where the binding is missing */
  with(create: (bindings: Readonly<Record<string, unknown>>) => Port | undefined): KeyedService {
    return { key: this, create }
  }
}

export interface KeyedService {
  readonly key: ServiceKey<object>
  readonly create: (bindings: Readonly<Record<string, unknown>>) => object | undefined
}
