/** Returns the part of a `wrangler.toml` that binds and migrates Durable Objects: `McpObjects` as `MCP_OBJECTS`. */
export function durableObjectsToml(classes: readonly string[]): string {
  const bindings = classes.map(
    (name) => `[[durable_objects.bindings]]
name = "${name.replace('Mcp', 'MCP_').toUpperCase()}"
class_name = "${name}"
`,
  )
  const names = classes.map((name) => `"${name}"`).join(', ')
  return `${bindings.join('')}
[[migrations]]
tag = "v1"
new_sqlite_classes = [${names}]
`
}
