/** The tab of events: their types, the subscriptions of a subject, and what became of the last ones. */
import type { InspectedEvents } from '../../src/inspector/inspected-events.ts'
import { Empty, Notice, ReadingState } from '../elements/notice.tsx'
import { Records } from '../elements/records.tsx'
import { SubjectForm } from '../elements/subject-form.tsx'
import type { ServerConfig } from '../server-config.ts'
import { useStore } from '../store.ts'
import { trafficLog } from '../traffic/traffic-log.ts'
import { useSubjectReading } from '../use-reading.ts'
import { EventList } from './event-list.tsx'
import { EventTypeCard } from './event-type-card.tsx'

export function EventsView({
  config: { subject, development },
}: {
  readonly config: ServerConfig
}) {
  const reading = useSubjectReading<InspectedEvents>('/inspect/events.json', subject)
  const { value, asked, show } = reading
  const { events } = useStore(trafficLog)
  return (
    <div class="page">
      <div class="page-head">
        <h2>Events</h2>
      </div>
      <ReadingState {...reading} />
      {value?.types.length === 0 && <Empty title="This server has no event types" />}
      {value?.types.map((type) => (
        <EventTypeCard key={type.name} type={type} canEmit={development} />
      ))}
      <section class="card" aria-labelledby="event-list">
        <h3 id="event-list">What happened</h3>
        <p class="quiet">
          Events, and what became of their deliveries and subscriptions, while the page is open.
        </p>
        <EventList entries={events} />
      </section>
      {value !== undefined && (
        <section class="card" aria-labelledby="event-subscriptions">
          <h3 id="event-subscriptions">Subscriptions</h3>
          <p class="quiet">By webhook. Of a callback its origin is shown.</p>
          <SubjectForm subject={asked} onSubject={show} />
          {value.subscriptions === null ? (
            <Notice>
              {asked === ''
                ? 'Enter a subject: callers who are not signed in have no subscriptions.'
                : 'This server does not know the principals of a subject.'}
            </Notice>
          ) : (
            <Records value={value.subscriptions} label="Subscriptions" />
          )}
        </section>
      )}
    </div>
  )
}
