/** The texts that come more than once, each once. */
export function repeatedIn(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const text of texts) (seen.has(text) ? repeated : seen).add(text)
  return [...repeated]
}
