/** A refusal or a leniency: its name, what happened, and the clause. */
import { clauseOf } from '../../src/timeline-texts/clauses.ts'
import { OutsideLink } from '../elements/link.tsx'
import { Notice } from '../elements/notice.tsx'
import { Code, Text } from '../elements/text.tsx'
import type { Decision } from './entry.ts'

const TITLES = { refusal: 'Refusal', leniency: 'Leniency', failure: 'Failure' } as const

export function Mark({ mark }: { readonly mark: Decision }) {
  const { kind, name, status, text } = mark
  const clause = clauseOf(kind, name)
  return (
    <Notice kind={kind === 'leniency' ? 'warn' : 'bad'}>
      <p class="mark-title">
        <strong>{TITLES[kind]}</strong> <Code>{name}</Code>
        {status !== null && <span class="quiet"> HTTP {status}</span>}
      </p>
      <p>
        <Text>{text}</Text>
      </p>
      {clause !== undefined && (
        <p>
          <OutsideLink url={clause.url} text={clause.text} />
        </p>
      )}
    </Notice>
  )
}
