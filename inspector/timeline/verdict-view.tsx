/** What became of a connection: the missing step, the faults that were found, and the causes that were checked. */
import type { TimelineConnection } from '../../src/timeline/views.ts'
import { OutsideLink } from '../elements/link.tsx'
import { Notice } from '../elements/notice.tsx'
import { Code, Text } from '../elements/text.tsx'

type Verdict = TimelineConnection['verdict']

const RESULTS = {
  passed: { text: 'ruled out', kind: 'good' },
  failed: { text: 'found', kind: 'bad' },
  unseen: { text: 'not seen', kind: '' },
} as const

export function VerdictView({ verdict }: { readonly verdict: Verdict }) {
  const { summary, state, missing, findings, checked } = verdict
  return (
    <>
      <p class="summary">
        <Text>{summary}</Text>
      </p>
      {missing !== undefined && (
        <p>
          <strong>{state === 'stopped' ? 'Missing step:' : 'Next step:'}</strong>{' '}
          <Text max={300}>{missing}</Text>
        </p>
      )}
      {findings.map(({ code, severity, message, clause, fix }) => (
        <Notice key={code} kind={severity === 'error' ? 'bad' : 'warn'}>
          <p>
            <strong>
              <Code>{code}</Code>
            </strong>
          </p>
          <p>
            <Text>{message}</Text>
          </p>
          <p>
            Fix: <Text>{fix}</Text>
          </p>
          <p>
            <Clause text={clause} />
          </p>
        </Notice>
      ))}
      {checked.length > 0 && (
        <details>
          <summary>Known causes that were checked</summary>
          <ul class="causes">
            {checked.map(({ code, meaning, result, answer }) => (
              <li key={code}>
                <p>
                  <span class={`badge ${RESULTS[result].kind}`}>{RESULTS[result].text}</span>{' '}
                  <Code>{code}</Code>
                </p>
                <p>
                  <Text>{meaning}</Text>
                </p>
                <p class="quiet">
                  <Text>{answer}</Text>
                </p>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

/** A clause is written as its name and then its link in parentheses. */
function Clause({ text }: { readonly text: string }) {
  const [, name, url] = /^(.*) \((https?:\/\/[^()\s]+)\)$/.exec(text) ?? []
  return name === undefined || url === undefined ? (
    <Text>{text}</Text>
  ) : (
    <OutsideLink url={url} text={name} />
  )
}
