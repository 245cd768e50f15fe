/** What became of a connection: the missing step, the faults that were found, and the causes that were checked. */
import type { ExplainedVerdict } from '../../src/timeline-texts/explain.ts'
import { OutsideLink } from '../elements/link.tsx'
import { Notice } from '../elements/notice.tsx'
import { Code, Paragraph, Text } from '../elements/text.tsx'

const RESULTS = {
  passed: { text: 'ruled out', kind: 'good' },
  failed: { text: 'found', kind: 'bad' },
  unseen: { text: 'not seen', kind: '' },
} as const

export function VerdictView({ verdict }: { readonly verdict: ExplainedVerdict }) {
  const { summary, state, missing, findings, checked } = verdict
  return (
    <>
      <Paragraph class="summary" text={summary} />
      {missing !== undefined && (
        <p>
          <strong>{state === 'stopped' ? 'Missing step:' : 'Next step:'}</strong>{' '}
          <Text max={300}>{missing}</Text>
        </p>
      )}
      {findings.map(({ code, severity, answer, fault }) => (
        <Notice key={code} kind={severity === 'error' ? 'bad' : 'warn'}>
          <p>
            <strong>
              <Code>{code}</Code>
            </strong>
          </p>
          <Paragraph text={fault === undefined ? `${answer}.` : `${fault.meaning} ${answer}.`} />
          {fault !== undefined && (
            <>
              <p>
                Fix: <Text>{fault.fix}</Text>
              </p>
              <p>
                <OutsideLink url={fault.clause.url} text={fault.clause.text} />
              </p>
            </>
          )}
        </Notice>
      ))}
      {checked.length > 0 && (
        <details>
          <summary>Known causes that were checked</summary>
          <ul class="causes">
            {checked.map(({ code, result, answer, fault }) => (
              <li key={code}>
                <p>
                  <span class={`badge ${RESULTS[result].kind}`}>{RESULTS[result].text}</span>{' '}
                  <Code>{code}</Code>
                </p>
                {fault !== undefined && <Paragraph text={fault.meaning} />}
                <Paragraph class="quiet" text={answer} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
