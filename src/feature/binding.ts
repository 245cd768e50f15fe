/** The binding of an environment, which the author's configuration types. Undefined when it is missing. */
export function bindingOf<Binding>(
  bindings: Readonly<Record<string, unknown>>,
  name: string,
): Binding | undefined {
  return bindings[name] as Binding | undefined
}
