import { sql } from 'drizzle-orm'
import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'

/** A ready-made action that campaigns refer to. Written by the import; replaced whole. */
export const actionTemplates = pgTable(
  'action_templates',
  {
    id: uuid().primaryKey(),
    projectId: text().notNull(),
    actionType: text().notNull(),
    projectImage: text().notNull(),
    description: text(),
    category: text(),
  },
  (table) => [index('action_templates_by_type').on(sql`fold_case(${table.actionType})`)],
)
