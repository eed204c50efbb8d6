import { defineConfig } from 'vitest/config';
import { suite } from './test/support/run/suite.ts';

export default defineConfig(({ mode }) => suite(mode));
