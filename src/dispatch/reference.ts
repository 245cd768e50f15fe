/** References: short random texts that appear both in a client's message and in telemetry. */

export function createReference(): string {
  const [value = 0] = crypto.getRandomValues(new Uint32Array(1))
  return value.toString(16).padStart(8, '0')
}
