/** The view of `plan_report`: a form, and then how far its report is. */
import { connectView, textOf } from 'edgeway/view'
import { useView } from 'edgeway/view/preact'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Tools } from '../views.types.ts'
import './report.css'

type Plan = Tools['plan_report']['result']
type Progress = Tools['report_progress']['result']
type Month = Plan['months'][number]

/** How often the view asks for the progress, in milliseconds. */
const POLL_MS = 1000

const view = connectView<Tools, 'plan_report'>({ name: 'report' })

function Report() {
  const { tool, error, capabilities, host } = useView(view)
  const [isMade, setMade] = useState(false)
  const [fault, setFault] = useState<string>()
  if (error !== undefined) return <p>{error.message}</p>
  if (tool.status === 'failed') return <p role="alert">{textOf(tool.result)}</p>
  if (tool.status === 'cancelled') return <p>The report was cancelled.</p>
  const plan = tool.status === 'done' ? tool.result.structuredContent : undefined
  if (plan === undefined) return <p role="status">…</p>
  if (capabilities.serverTools === undefined) return <p>This client lets views call no tools.</p>
  const names = new Intl.DateTimeFormat(host.locale, { month: 'long', year: 'numeric' })
  const nameOf = (month: Month) => names.format(new Date(`${month}-15`))
  const fail = (message: string) => {
    setFault(message)
    setMade(false)
  }
  const make = (months: readonly Month[]) => {
    setFault(undefined)
    setMade(true)
    // The view sees the end by the progress, also where the client stops waiting for the result.
    view.callTool('make_report', { draft: plan.draft, months: [...months] }).then(
      (result) => result.isError && fail(textOf(result)),
      (reason: Error) => fail(reason.message),
    )
  }
  return isMade ? (
    <Result draft={plan.draft} nameOf={nameOf} />
  ) : (
    <Form months={plan.months} fault={fault} nameOf={nameOf} onSubmit={make} />
  )
}

interface FormProps {
  readonly months: readonly Month[]
  readonly fault: string | undefined
  readonly nameOf: (month: Month) => string
  readonly onSubmit: (months: readonly Month[]) => void
}

function Form({ months, fault, nameOf, onSubmit }: FormProps) {
  const [chosen, setChosen] = useState<readonly Month[]>(months.slice(-3))
  const toggle = (month: Month) =>
    setChosen(months.filter((each) => (each === month) !== chosen.includes(each)))
  return (
    // A host may forbid that forms are submitted, so that a button does it.
    <main>
      <fieldset>
        <legend>Months of the report</legend>
        {months.map((month) => (
          <label key={month}>
            <input
              type="checkbox"
              checked={chosen.includes(month)}
              onChange={() => toggle(month)}
            />
            {nameOf(month)}
          </label>
        ))}
      </fieldset>
      {fault && <p role="alert">{fault}</p>}
      <button type="button" disabled={chosen.length === 0} onClick={() => onSubmit(chosen)}>
        Make the report
      </button>
    </main>
  )
}

interface ResultProps {
  readonly draft: string
  readonly nameOf: (month: Month) => string
}

function Result({ draft, nameOf }: ResultProps) {
  const [progress, setProgress] = useState<Progress>({ wanted: 0, done: [] })
  const { wanted, done } = progress
  const isComplete = wanted > 0 && done.length === wanted
  useEffect(() => {
    if (isComplete) return
    const timer = setInterval(async () => {
      // What fails once is asked again.
      const result = await view.callTool('report_progress', { draft }).catch(() => undefined)
      if (result && !result.isError && result.structuredContent) {
        setProgress(result.structuredContent)
      }
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [isComplete, draft])
  const total = done.reduce((sum, { sales }) => sum + sales, 0)
  useEffect(() => {
    if (!isComplete || view.state.capabilities.updateModelContext === undefined) return
    const text = `The report is complete: ${total} sales in ${done.length} months.`
    void view.updateModelContext({ content: [{ type: 'text', text }] })
  }, [isComplete])
  return (
    <main>
      <h1>Sales</h1>
      <p role="status">{isComplete ? 'Complete' : `${done.length} of ${wanted || '…'} months`}</p>
      {!isComplete && <progress value={done.length} max={wanted || 1} aria-label="Progress" />}
      <table>
        <tbody>
          {done.map(({ month, sales }) => (
            <tr key={month}>
              <th scope="row">{nameOf(month)}</th>
              <td>{sales}</td>
            </tr>
          ))}
        </tbody>
        {isComplete && (
          <tfoot>
            <tr>
              <th scope="row">Total</th>
              <td>{total}</td>
            </tr>
          </tfoot>
        )}
      </table>
    </main>
  )
}

const root = document.querySelector('#root')
if (root) render(<Report />, root)
