/** The tab of stored state: the sessions, tasks, grants and listeners of a subject. */
import { Notice, ReadingState } from '../elements/notice.tsx'
import { Records } from '../elements/records.tsx'
import { SubjectForm } from '../elements/subject-form.tsx'
import { useSubjectReading } from '../use-reading.ts'

const PARTS = [
  ['sessions', 'Sessions', 'Sessions that store rows: of the revisions before 2026-07-28.'],
  ['tasks', 'Tasks', 'Calls that outlive their request.'],
  ['grants', 'Grants', 'What people have allowed apps to do.'],
  ['listeners', 'Listeners', 'Streams that wait for changes.'],
] as const

/** `GET /inspect/state.json`. A part is null where the server has no index of it. */
type State = Readonly<Record<(typeof PARTS)[number][0], unknown>>

export function StateView({ subject }: { readonly subject: string | null }) {
  const reading = useSubjectReading<State>('/inspect/state.json', subject)
  const { value, asked, show } = reading
  return (
    <div class="page">
      <div class="page-head">
        <h2>State</h2>
      </div>
      <SubjectForm subject={asked} onSubject={show} />
      <ReadingState {...reading} />
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
