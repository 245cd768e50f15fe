/** Public descriptions, by the file of their package: small, large and untidy ones. */
import rclone from 'rclone-openapi'

/** What `import.meta.glob` of the test runner is. It types no file, which would cost seconds of compile time. */
declare global {
  interface ImportMeta {
    glob(pattern: string, options: { eager: true; import: 'default' }): Record<string, object>
  }
}

const EXAMPLES = import.meta.glob('/node_modules/@readme/oas-examples/3.*/json/*.json', {
  eager: true,
  import: 'default',
})

export const DESCRIPTIONS: readonly (readonly [string, object])[] = [
  ...Object.entries(EXAMPLES).map(
    ([file, document]) =>
      [file.replace('/node_modules/@readme/oas-examples/', ''), document] as const,
  ),
  ['rclone', rclone],
]

export function descriptionOf(name: string): object {
  const found = DESCRIPTIONS.find(([known]) => known === name)
  if (found === undefined) throw new TypeError(`There is no description ${name}`)
  return found[1]
}
