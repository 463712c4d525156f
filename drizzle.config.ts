import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: ['./src/database/tables/**/*.ts', './src/read-models/*/tables.ts'],
  out: './migrations',
  casing: 'snake_case',
})
