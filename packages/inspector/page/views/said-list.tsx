/** What the model reads of the result and of the view, and what the view has sent to the host. */
import { JsonTree } from '../elements/json-tree.tsx'
import { Code } from '../elements/text.tsx'
import { membersOf } from '../traffic/exchange.ts'
import { ResultContent } from '../try/run-panel.tsx'
import type { Said } from './shown-view.ts'

const TITLES: Readonly<Record<Said['kind'], string>> = {
  result: 'Result, as the model reads it',
  message: 'Message, in the name of the person',
  context: 'Context of the view, which replaces the one before',
  link: 'Opened link',
  log: 'Log',
}

export function SaidList({ said }: { readonly said: readonly Said[] }) {
  if (said.length === 0) return null
  return (
    <>
      <h4>For the model and the host</h4>
      <ol class="said">
        {said.map(({ kind, value }, index) => (
          <li key={index}>
            <span class="quiet">{TITLES[kind]}</span>
            <SaidValue value={value} title={TITLES[kind]} />
          </li>
        ))}
      </ol>
    </>
  )
}

/** Blocks as of a result, and other values as JSON. */
function SaidValue({ value, title }: { readonly value: unknown; readonly title: string }) {
  if (typeof value === 'string') return <Code>{value}</Code>
  const { content, ...rest } = Array.isArray(value) ? { content: value } : membersOf(value)
  return (
    <>
      <ResultContent result={{ content }} />
      {Object.keys(rest).length > 0 && <JsonTree value={rest} label={title} depth={3} />}
    </>
  )
}
