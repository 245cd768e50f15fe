/** Bindings of the environment, and the ports that need them. */
import { ConfigurationError } from '../platform/configuration-error.ts'

/** The binding of an environment, which the author's configuration types. Undefined when it is missing. */
export function bindingOf<Binding>(
  bindings: Readonly<Record<string, unknown>>,
  name: string,
): Binding | undefined {
  return bindings[name] as Binding | undefined
}

/**
 * The port of a service that a call needs.
 *
 * @throws {ConfigurationError} with the message, where its binding is missing
 */
export function bound<Port>(port: Port | undefined, message: string): Port {
  if (port === undefined) throw new ConfigurationError(message)
  return port
}
