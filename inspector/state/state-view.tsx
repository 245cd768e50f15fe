/** The tab of stored state: the sessions, tasks, grants and listeners of a subject. */
import { useId, useState } from 'preact/hooks'
import { dateOf } from '../elements/figures.ts'
import { JsonTree } from '../elements/json-tree.tsx'
import { Failed, Notice } from '../elements/notice.tsx'
import { Code } from '../elements/text.tsx'
import { useReading } from '../use-reading.ts'

/** `GET /inspect/state.json`. A part is null where the server has no index of it. */
interface State {
  readonly subject: string | null
  readonly sessions: unknown
  readonly tasks: unknown
  readonly grants: unknown
  readonly listeners: unknown
}

const PARTS = [
  ['sessions', 'Sessions', 'Sessions that store rows: of the revisions before 2026-07-28.'],
  ['tasks', 'Tasks', 'Calls that outlive their request.'],
  ['grants', 'Grants', 'What people have allowed apps to do.'],
  ['listeners', 'Listeners', 'Streams that wait for changes.'],
] as const

const REFRESH_MS = 5000

export function StateView({ subject }: { readonly subject: string | null }) {
  const [text, setText] = useState(subject ?? '')
  const [asked, setAsked] = useState(subject ?? '')
  const query = asked === '' ? '' : `?subject=${encodeURIComponent(asked)}`
  const { value, problem, refresh } = useReading<State>(`/inspect/state.json${query}`, REFRESH_MS)
  const id = useId()
  const submit = (event: Event) => {
    event.preventDefault()
    setAsked(text.trim())
    refresh()
  }
  return (
    <div class="page">
      <div class="page-head">
        <h2>State</h2>
      </div>
      <form class="subject" onSubmit={submit}>
        <label for={id}>Subject</label>
        <div class="toolbar-row">
          <input
            id={id}
            autocomplete="off"
            spellcheck={false}
            placeholder="Everyone who is not signed in"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <button type="submit">Show</button>
        </div>
      </form>
      {problem !== undefined && <Failed problem={problem} retry={refresh} />}
      {value === undefined && problem === undefined && <p class="quiet">Loading…</p>}
      {value !== undefined &&
        PARTS.map(([name, title, text]) => (
          <section key={name} class="card" aria-labelledby={`state-${name}`}>
            <h3 id={`state-${name}`}>{title}</h3>
            <p class="quiet">{text}</p>
            {value[name] === null || value[name] === undefined ? (
              <Notice>
                {asked === ''
                  ? 'Enter a subject: the indexes are per subject.'
                  : 'This server has no index of them.'}
              </Notice>
            ) : (
              <Records value={value[name]} label={title} />
            )}
          </section>
        ))}
    </div>
  )
}

/** Stored records by the names of their members. */
function Records({ value, label }: { readonly value: unknown; readonly label: string }) {
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
