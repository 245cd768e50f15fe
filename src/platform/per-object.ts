/** One value per object, created on first use and kept as long as the object. */

export function perObject<Key extends object, Value extends object>(
  create: (key: Key) => Value,
): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return (key) => {
    const known = values.get(key)
    if (known !== undefined) return known
    const created = create(key)
    values.set(key, created)
    return created
  }
}

const NO_ENVIRONMENT = {}

/** One value per environment of a Worker. An isolate has one environment; tests have several, or none. */
export function perEnvironment<Value extends object>(
  create: (env: Readonly<Record<string, unknown>>) => Value,
): (env: unknown) => Value {
  const inEnvironment = perObject(create)
  return (env) => inEnvironment((typeof env === 'object' && env) || NO_ENVIRONMENT)
}
