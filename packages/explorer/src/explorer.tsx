import './explorer.css'
import { render } from 'preact'
import { LocationProvider, Route, Router } from 'preact-iso'
import { Guard } from './error-boundary.tsx'
import { Layout } from './layout.tsx'
import { keepScrollPosition } from './navigation/scroll-position.ts'
import { CampaignPage } from './pages/campaign-page.tsx'
import { CampaignsPage } from './pages/campaigns-page.tsx'
import { ChainsPage } from './pages/chains-page.tsx'
import { ContractsPage } from './pages/contracts-page.tsx'
import { TrendingPage } from './pages/trending-page.tsx'
import { UserPage, UsersPage } from './pages/users-page.tsx'

/** What this script shows; the browser loads all else. */
const PAGES = /^\/(explorer\/[^?]*)?(\?.*)?$/

/** Every page has a path of its own, so that links to it can be shared; the service answers all with this script. */
function Explorer() {
  return (
    <LocationProvider scope={PAGES}>
      <Layout>
        <Guard>
          <Router>
            <Route path="/" component={TrendingPage} />
            <Route path="/explorer/campaigns" component={CampaignsPage} />
            <Route path="/explorer/campaigns/:id" component={CampaignPage} />
            <Route path="/explorer/contracts" component={ContractsPage} />
            <Route path="/explorer/users" component={UsersPage} />
            <Route path="/explorer/users/:address" component={UserPage} />
            <Route path="/explorer/chains" component={ChainsPage} />
          </Router>
        </Guard>
      </Layout>
    </LocationProvider>
  )
}

keepScrollPosition()
render(<Explorer />, document.body)
