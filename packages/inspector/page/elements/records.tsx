/** Records of the server as lists of their members. */
import { dateOf } from './figures.ts'
import { JsonTree } from './json-tree.tsx'
import { Code } from './text.tsx'

/** Stored records by the names of their members. */
export function Records({ value, label }: { readonly value: unknown; readonly label: string }) {
  const records = Array.isArray(value) ? (value as readonly unknown[]) : [value]
  if (records.length === 0) return <p>None.</p>
  return (
    <ul class="records" aria-label={label}>
      {records.map((record, index) => (
        <li key={keyOf(record, index)}>
          <Members record={record} />
        </li>
      ))}
    </ul>
  )
}

function Members({ record }: { readonly record: unknown }) {
  if (typeof record !== 'object' || record === null) return <Code>{JSON.stringify(record)}</Code>
  return (
    <dl class="properties">
      {Object.entries(record).map(([name, value]) => (
        <div key={name} class={typeof value === 'object' && value !== null ? 'wide' : undefined}>
          <dt>{name}</dt>
          <dd>
            <Member name={name} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Member({ name, value }: { readonly name: string; readonly value: unknown }) {
  // Times are in epoch milliseconds, and their names end like this one.
  if (typeof value === 'number' && /At$/.test(name)) return <time>{dateOf(value)}</time>
  if (typeof value === 'string') return <Code max={300}>{value}</Code>
  if (typeof value !== 'object' || value === null) return <Code>{JSON.stringify(value)}</Code>
  return <JsonTree value={value} label={name} depth={2} />
}

/** The first text of a record is its id. */
function keyOf(record: unknown, index: number): string {
  const values = typeof record === 'object' && record !== null ? Object.values(record) : []
  return String(values.find((value) => typeof value === 'string') ?? index)
}
